// SPDX-License-Identifier: Apache-2.0
// Ctrl-C and a lost terminal: the first signal finishes the actions in flight and stops, a second
// Ctrl-C ends the program.
#pragma once

namespace fabric::cli {

// From now on, SIGINT, SIGTERM and SIGHUP also end the commands that run on this machine: those are
// in process groups of their own, which the terminal does not reach. Otherwise the signals act as
// before; ignored signals stay ignored.
void leave_with_local_commands();

// While an object exists, SIGINT, SIGTERM and SIGHUP are counted; the second ends the program at
// once with 130 or 143. The journal is durable line by line, so no record is lost. A terminal that
// is closed may send several signals, which are no second decision of the user: SIGHUP is never the
// second, nor is a SIGTERM within two seconds of it. A SIGHUP that is ignored, as under nohup,
// stays ignored. Objects may be nested: an inner one continues the count.
class InterruptGuard {
 public:
  InterruptGuard();
  ~InterruptGuard();
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;

  static bool interrupted();
};

}  // namespace fabric::cli
