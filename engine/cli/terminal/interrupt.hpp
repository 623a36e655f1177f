// SPDX-License-Identifier: Apache-2.0
// Ctrl-C and a lost terminal: the first signal finishes the actions in flight and stops, a second
// Ctrl-C ends the program.
#pragma once

namespace fabric::cli {

// From now on, SIGINT, SIGTERM and SIGHUP take the commands along that run on this machine: those
// are in process groups of their own, which the terminal does not reach. Otherwise they do what
// they did; what was ignored stays ignored.
void leave_with_local_commands();

// While one lives, SIGINT, SIGTERM and SIGHUP are counted; the second leaves at once with 130 or
// 143. The journal is durable line by line, so nothing is lost by that. A terminal that goes away
// may be told by several signals, and the second of them is no decision of the user: SIGHUP is
// never the second, nor is a SIGTERM within two seconds of it. A SIGHUP that is ignored, as under
// nohup, stays so. They may be nested: an inner one counts on.
class InterruptGuard {
 public:
  InterruptGuard();
  ~InterruptGuard();
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;

  static bool interrupted();
};

}  // namespace fabric::cli
