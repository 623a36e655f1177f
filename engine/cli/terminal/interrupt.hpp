// Ctrl-C: the first finishes what is in flight and stops, the second ends the program.
#pragma once

namespace fabric::cli {

// While it lives, SIGINT and SIGTERM are counted; the second leaves at once with 130 or 143. The
// journal is durable line by line, so nothing is lost by that.
class InterruptGuard {
 public:
  InterruptGuard();
  ~InterruptGuard();
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;

  static bool interrupted();
};

}  // namespace fabric::cli
