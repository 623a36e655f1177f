#include "engine/cli/terminal/interrupt.hpp"

#include <csignal>
#include <string_view>

#include <unistd.h>

namespace fabric::cli {

namespace {

// A handler can reach nothing but a global of this type.
// NOLINTNEXTLINE(cppcoreguidelines-avoid-non-const-global-variables)
volatile std::sig_atomic_t g_interrupts = 0;

constexpr int kSignalExitBase = 128;

// Said by a handler, so it is one text for every case.
constexpr std::string_view kLeft =
    "\nleft at once: what was in flight may or may not have happened. The locks on the nodes end "
    "by themselves, and so do rollback timers; the next apply from this machine takes them over, "
    "converges, and runs the hooks.after_disruption that is owed to a node\n";

extern "C" void count_interrupt(int signal) {
  if (g_interrupts != 0) {
    [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, kLeft.data(), kLeft.size());
    _exit(kSignalExitBase + signal);
  }
  g_interrupts = 1;
}

void handle(void (*handler)(int)) {
  struct sigaction action {};
  action.sa_handler = handler;
  sigemptyset(&action.sa_mask);
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
}

}  // namespace

InterruptGuard::InterruptGuard() {
  g_interrupts = 0;
  handle(count_interrupt);
}

InterruptGuard::~InterruptGuard() {
  handle(SIG_DFL);
}

bool InterruptGuard::interrupted() {
  return g_interrupts != 0;
}

}  // namespace fabric::cli
