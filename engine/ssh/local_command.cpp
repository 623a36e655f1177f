// SPDX-License-Identifier: Apache-2.0
#include "engine/ssh/local_command.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <limits>
#include <optional>
#include <system_error>

#include <fmt/format.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "engine/base/limits.hpp"
#include "engine/ssh/local_child.hpp"

namespace fabric::ssh {

namespace {

// The time that a command has to clean up after SIGTERM: when its time is over, and when the
// program is to end.
constexpr Duration kGraceWhenLate{2'000};
constexpr Duration kGraceWhenStopped{500};
// The time that SIGKILL may take. A process that waits for a dead device takes longer, and is left.
constexpr Duration kDying{2'000};
// The interval of looking at a process if the kernel has no descriptor for its end.
constexpr Duration kWithoutDescriptor{50};

enum class Ending : std::uint8_t { done, not_started, late, stopped };

// False at its end. What is over the limit is read and dropped.
bool take(int descriptor, std::string& stream) {
  std::array<char, 65536> block;  // NOLINT(cppcoreguidelines-pro-type-member-init): read() fills it
  const ssize_t got = read(descriptor, block.data(), block.size());
  if (got < 0) return errno == EINTR || errno == EAGAIN;
  if (got == 0) return false;
  const std::size_t room = limits::kCommandOutputBytes - stream.size();
  stream.append(block.data(), std::min(static_cast<std::size_t>(got), room));
  return true;
}

// Reads what is in the pipe now, and no more: another process may write to it for ever.
void drain(int descriptor, std::string& stream) {
  int waiting = 0;
  if (ioctl(descriptor, FIONREAD, &waiting) != 0) return;
  std::string rest(static_cast<std::size_t>(std::max(waiting, 0)), '\0');
  const ssize_t got = read(descriptor, rest.data(), rest.size());
  if (got <= 0) return;
  const std::size_t room = limits::kCommandOutputBytes - stream.size();
  stream.append(rest, 0, std::min(static_cast<std::size_t>(got), room));
}

class Listening {
 public:
  Listening(LocalChild& child, remote::CommandOutput& output, const Clock& clock)
      : child_{child},
        output_{output},
        clock_{clock},
        waits_{
            {{child.output(), POLLIN, 0},
             {child.error(), POLLIN, 0},
             {child.exit(), POLLIN, 0},
             {child.start_failure(), POLLIN, 0},
             {-1, POLLIN, 0}}} {}

  // Until the process has ended; `stop`: a descriptor that becomes readable to end that, -1 = none.
  Ending until(TimePoint deadline, int stop) {
    waits_[kStop].fd = stop;
    while (true) {
      if (why_not_) return Ending::not_started;
      if (child_.has_ended()) {
        drain(child_.output(), output_.standard_output);
        drain(child_.error(), output_.standard_error);
        why_not_ = why_not_ ? why_not_ : child_.why_not_started();
        return why_not_ ? Ending::not_started : Ending::done;
      }
      const Duration left = deadline - clock_.now();
      if (left <= Duration::zero()) return Ending::late;
      if (wait(left)) return Ending::stopped;
    }
  }

  int why_not() const { return why_not_.value_or(0); }

 private:
  static constexpr std::size_t kFailure = 3;
  static constexpr std::size_t kStop = 4;

  // True if it is to stop.
  bool wait(Duration left) {
    if (child_.exit() < 0) left = std::min(left, kWithoutDescriptor);
    const auto most = Duration{std::numeric_limits<int>::max()};
    const int ready =
        poll(waits_.data(), waits_.size(), static_cast<int>(std::min(left, most).count()));
    // After an interruption by a signal the answers are those of the time before.
    if (ready <= 0) return false;
    if (waits_[0].revents != 0 && !take(waits_[0].fd, output_.standard_output)) waits_[0].fd = -1;
    if (waits_[1].revents != 0 && !take(waits_[1].fd, output_.standard_error)) waits_[1].fd = -1;
    if (waits_[kFailure].revents != 0) {
      why_not_ = child_.why_not_started();
      waits_[kFailure].fd = -1;
    }
    return waits_[kStop].revents != 0;
  }

  LocalChild& child_;
  remote::CommandOutput& output_;
  const Clock& clock_;
  std::array<pollfd, 5> waits_;
  std::optional<int> why_not_;
};

Execution not_started(const std::string& name, int number) {
  return {
      remote::Outcome::failed,
      {},
      {number == ENOENT ? ErrorCode::not_found : ErrorCode::denied,
       fmt::format(
           "{}: can't be run on this machine: {}", name, std::generic_category().message(number))}};
}

// Ends a command whose time is over. Its children are killed even if it ended well: they may be the
// ones that did not react.
void end(LocalChild& child, Listening& listening, const Clock& clock, Duration grace) {
  child.signal_all(SIGTERM);
  listening.until(clock.now() + grace, -1);
  // Again for what they started meanwhile.
  for (int round = 0; round < 3; ++round)
    child.signal_all(SIGKILL);
  listening.until(clock.now() + kDying, -1);
}

Error why_ended(Ending ending, const std::string& name, Duration timeout) {
  if (ending == Ending::stopped) return {ErrorCode::cancelled, name + ": abandoned"};
  return {
      ErrorCode::timed_out, fmt::format("{}: no end within {}", name, format_duration(timeout))};
}

}  // namespace

Execution run_here(const remote::step::RunHere& here, const Clock& clock, StopSignal& stop) {
  const remote::Command& command = here.command;
  const std::string& name = command.argv.front();
  const TimePoint deadline = clock.now() + command.timeout;
  Result<LocalChild> child = LocalChild::start(command, here.environment);
  if (!child) return {remote::Outcome::failed, {}, with_context(child.error(), name)};
  Execution execution;
  Listening listening{*child, execution.output, clock};
  const Ending ending = listening.until(deadline, stop.descriptor());
  if (ending == Ending::not_started) return not_started(name, listening.why_not());
  if (ending != Ending::done) {
    end(*child, listening, clock, ending == Ending::late ? kGraceWhenLate : kGraceWhenStopped);
    execution.outcome = remote::Outcome::unknown;
    execution.error = why_ended(ending, name, command.timeout);
  }
  if (child->has_ended()) execution.output.exit_status = child->reap();
  return execution;
}

void kill_local_commands() noexcept {
  kill_local_children();
}

}  // namespace fabric::ssh
