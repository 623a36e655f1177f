// SPDX-License-Identifier: Apache-2.0
#include "engine/cli/terminal/interrupt.hpp"

#include <csignal>
#include <ctime>
#include <string_view>

#include <unistd.h>

#include "engine/ssh/local_command.hpp"

namespace fabric::cli {

namespace {

// A handler can reach nothing but a global of this type.
// NOLINTNEXTLINE(cppcoreguidelines-avoid-non-const-global-variables)
volatile std::sig_atomic_t g_interrupts = 0;
// When the terminal went away, in seconds of the monotonic clock; 0 = it has not.
// NOLINTNEXTLINE(cppcoreguidelines-avoid-non-const-global-variables)
volatile std::sig_atomic_t g_hung_up = 0;
// NOLINTNEXTLINE(cppcoreguidelines-avoid-non-const-global-variables)
int g_guards = 0;

constexpr int kSignalExitBase = 128;

// Printed by a signal handler, so it is one text for every case.
constexpr std::string_view kLeft =
    "\nstopped at once: the actions in flight may or may not have happened. Locks and rollback "
    "timers on the nodes end by themselves. The next apply from this machine takes the locks over, "
    "converges, and runs every hooks.after_disruption that is still owed\n";

std::sig_atomic_t seconds() {
  timespec time{};
  clock_gettime(CLOCK_MONOTONIC, &time);
  return static_cast<std::sig_atomic_t>(time.tv_sec) + 1;  // never 0
}

// One hang-up may send several signals (E-hang-up).
bool is_of_hang_up(int signal) {
  constexpr std::sig_atomic_t kTogether = 2;
  if (signal == SIGHUP) return true;
  return signal == SIGTERM && g_hung_up != 0 && seconds() - g_hung_up <= kTogether;
}

extern "C" void count_interrupt(int signal) {
  if (g_interrupts != 0 && !is_of_hang_up(signal)) {
    [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, kLeft.data(), kLeft.size());
    ssh::kill_local_commands();
    _exit(kSignalExitBase + signal);
  }
  g_interrupts = 1;
  if (signal == SIGHUP && g_hung_up == 0) g_hung_up = seconds();
}

extern "C" void leave(int signal) {
  ssh::kill_local_commands();
  // The handler is removed (SA_RESETHAND), so the signal ends the program as by default.
  static_cast<void>(raise(signal));
}

void handle(void (*handler)(int)) {
  struct sigaction action {};
  action.sa_handler = handler;
  sigemptyset(&action.sa_mask);
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
  struct sigaction before {};
  if (sigaction(SIGHUP, nullptr, &before) == 0 && before.sa_handler != SIG_IGN)
    sigaction(SIGHUP, &action, nullptr);
}

}  // namespace

InterruptGuard::InterruptGuard() {
  if (g_guards++ > 0) return;
  g_interrupts = 0;
  g_hung_up = 0;
  handle(count_interrupt);
}

InterruptGuard::~InterruptGuard() {
  if (--g_guards > 0) return;
  handle(SIG_DFL);
  leave_with_local_commands();
  // Any further report of it comes too late to be worth the end of the program.
  if (g_hung_up != 0) static_cast<void>(std::signal(SIGHUP, SIG_IGN));
}

void leave_with_local_commands() {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction before {};
    if (sigaction(signal, nullptr, &before) != 0 || before.sa_handler != SIG_DFL) continue;
    struct sigaction action {};
    action.sa_handler = leave;
    action.sa_flags = static_cast<int>(SA_RESETHAND | SA_NODEFER);
    sigemptyset(&action.sa_mask);
    sigaction(signal, &action, nullptr);
  }
}

bool InterruptGuard::interrupted() {
  return g_interrupts != 0;
}

}  // namespace fabric::cli
