// SPDX-License-Identifier: Apache-2.0
#include "engine/ssh/local_command.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/close_range.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include "engine/base/file_descriptor.hpp"
#include "engine/base/limits.hpp"
#include "engine/base/result.hpp"
#include "engine/base/text.hpp"
#include "engine/remote/command.hpp"

namespace fabric::ssh {
namespace {

// It has a process group of its own, no blocked signal, no descriptor of this program but its three
// standard streams, and a mark in its environment by which its children are found wherever they
// went. It is killed when the thread that started it ends.
class LocalChild {
 public:
  // `environment` is added to this program's own. Fails with ErrorCode::denied if this machine has
  // no process or no descriptor left. start_failure() shows whether its program could be run.
  static Result<LocalChild> start(
      const remote::Command& command, const std::map<std::string, std::string>& environment);
  LocalChild(const LocalChild&) = delete;
  LocalChild& operator=(const LocalChild&) = delete;
  LocalChild(LocalChild&& other) noexcept;
  LocalChild& operator=(LocalChild&&) = delete;
  // Kills and reaps the process if that was not done.
  ~LocalChild();

  // To be polled and read; not blocking. exit(): readable once the process has ended, -1 where the
  // kernel has no such descriptor. start_failure(): at its end once the program runs.
  int output() const { return output_.get(); }
  int error() const { return error_.get(); }
  int exit() const { return exit_.get(); }
  int start_failure() const { return failure_.get(); }

  // An errno; nullopt while nothing went wrong.
  std::optional<int> why_not_started() const;
  // True if the process has ended, though children may still run. Does not wait.
  bool has_ended() const;
  // Sends to the process, its group, and every process that bears its mark.
  void signal_all(int signal) const;
  // The exit status of the ended process, 128 + n for signal n. REQUIRES: has_ended(), once.
  int reap();

 private:
  LocalChild() = default;

  pid_t process_ = -1;
  std::string mark_;  // "NAME=value"
  FileDescriptor output_, error_, exit_, failure_;
};

constexpr int kSignalBase = 128;  // a shell's exit status for signals
constexpr int kNotRun = 127;
constexpr int kFirstOther = 3;  // the descriptor behind the standard streams
constexpr std::string_view kMark = "FABRIC_COMMAND";

// Those that are there now, for a signal handler: more at a time are killed by the kernel alone,
// when their thread ends.
// NOLINTNEXTLINE(cppcoreguidelines-avoid-non-const-global-variables): a handler has nothing else.
std::array<std::atomic<pid_t>, 1024> g_children{};

void remember(pid_t process) {
  for (std::atomic<pid_t>& slot : g_children) {
    pid_t nobody = 0;
    if (slot.compare_exchange_strong(nobody, process)) return;
  }
}

void forget(pid_t process) {
  for (std::atomic<pid_t>& slot : g_children) {
    pid_t found = process;
    if (slot.compare_exchange_strong(found, 0)) return;
  }
}

struct Pipe {
  FileDescriptor read, write;
};

// Never one of the standard streams, though those may be closed.
FileDescriptor behind_the_streams(int descriptor) {
  FileDescriptor given{descriptor};
  if (descriptor < 0 || descriptor >= kFirstOther) return given;
  return FileDescriptor{fcntl(descriptor, F_DUPFD_CLOEXEC, kFirstOther)};
}

std::optional<Pipe> make_pipe() {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) return std::nullopt;
  Pipe pipe{behind_the_streams(ends[0]), behind_the_streams(ends[1])};
  if (!pipe.read || !pipe.write) return std::nullopt;
  fcntl(pipe.read.get(), F_SETFL, O_NONBLOCK);
  return pipe;
}

FileDescriptor input_of(const std::string& text) {
  if (text.empty()) return behind_the_streams(open("/dev/null", O_RDONLY | O_CLOEXEC));
  FileDescriptor file = behind_the_streams(memfd_create("fabric-input", MFD_CLOEXEC));
  std::string_view rest = text;
  while (file && !rest.empty()) {
    const ssize_t written = write(file.get(), rest.data(), rest.size());
    if (written < 0 && errno != EINTR) return {};
    if (written > 0) rest.remove_prefix(static_cast<std::size_t>(written));
  }
  if (file) lseek(file.get(), 0, SEEK_SET);
  return file;
}

std::vector<std::string> environment_with(
    const std::map<std::string, std::string>& added, const std::string& mark) {
  std::vector<std::string> variables{mark};
  for (const auto& [name, value] : added)
    variables.push_back(fmt::format("{}={}", name, value));
  for (char** variable = environ; *variable != nullptr; ++variable) {
    const std::string_view text{*variable};
    const std::string name{text.substr(0, text.find('='))};
    if (name != kMark && !added.contains(name)) variables.emplace_back(text);
  }
  return variables;
}

// execvpe takes char*, for historical reasons.
std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> all;
  all.reserve(texts.size() + 1);
  for (std::string& text : texts)
    all.push_back(text.data());
  all.push_back(nullptr);
  return all;
}

struct Streams {
  int input, output, error, failure;
};

// Signals that are ignored stay ignored, as the operator may have begun with `nohup`; but not those
// that this program ignores itself.
void forget_handlers() {
  struct sigaction usual {};
  usual.sa_handler = SIG_DFL;
  for (int signal = 1; signal < NSIG; ++signal) {
    struct sigaction found {};
    const bool is_ours = sigaction(signal, nullptr, &found) == 0 && found.sa_handler != SIG_IGN;
    if (is_ours || signal == SIGPIPE) sigaction(signal, &usual, nullptr);
  }
}

// Between fork and exec, where other threads may have held any lock: only system calls.
[[noreturn]] void become(
    const std::vector<char*>& argv,
    const std::vector<char*>& variables,
    const Streams& streams,
    pid_t parent) {
  setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(kNotRun);
  forget_handlers();
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  dup2(streams.input, STDIN_FILENO);
  dup2(streams.output, STDOUT_FILENO);
  dup2(streams.error, STDERR_FILENO);
  // Also what a library has opened without the flag.
  syscall(SYS_close_range, kFirstOther, ~0U, CLOSE_RANGE_CLOEXEC);
  execvpe(argv.front(), argv.data(), variables.data());
  const int number = errno;
  [[maybe_unused]] const ssize_t written = write(streams.failure, &number, sizeof number);
  _exit(kNotRun);
}

Error no_process() {
  return {
      ErrorCode::denied,
      fmt::format(
          "no process could be started on this machine: {}",
          std::generic_category().message(errno))};
}

std::string next_mark(const std::string& begin) {
  static std::atomic<std::uint64_t> counter{0};
  return fmt::format("{}={}.{}.{}", kMark, getpid(), begin, ++counter);
}

// Processes with `mark` among the variables that they were started with. Those of other users can't
// be read, and can't be ended by us either.
std::vector<pid_t> marked(const std::string& mark) {
  std::vector<pid_t> found;
  std::error_code failure;
  for (std::filesystem::directory_iterator entry{"/proc", failure}, end; !failure && entry != end;
       entry.increment(failure)) {
    const std::string name = entry->path().filename().string();
    const auto process = parse_unsigned(name, 10);
    if (!process || static_cast<pid_t>(*process) == getpid()) continue;
    std::ifstream file{entry->path() / "environ", std::ios::binary};
    const std::string variables{std::istreambuf_iterator<char>{file}, {}};
    if (('\0' + variables).find('\0' + mark + '\0') != std::string::npos)
      found.push_back(static_cast<pid_t>(*process));
  }
  return found;
}

// Kills all children, with their groups. May be called by a signal handler.
void kill_local_children() noexcept {
  for (const std::atomic<pid_t>& slot : g_children) {
    const pid_t process = slot.load();
    if (process > 0) kill(-process, SIGKILL);
  }
}

Result<LocalChild> LocalChild::start(
    const remote::Command& command, const std::map<std::string, std::string>& environment) {
  std::optional<Pipe> output = make_pipe();
  std::optional<Pipe> error = make_pipe();
  std::optional<Pipe> failure = make_pipe();
  const FileDescriptor input = input_of(command.standard_input);
  if (!output || !error || !failure || !input) return no_process();
  LocalChild child;
  child.mark_ = next_mark(std::to_string(reinterpret_cast<std::uintptr_t>(&child)));
  std::vector<std::string> words{command.argv.begin(), command.argv.end()};
  std::vector<std::string> variables = environment_with(environment, child.mark_);
  const std::vector<char*> argv = pointers(words);
  const std::vector<char*> all = pointers(variables);
  const Streams streams{input.get(), output->write.get(), error->write.get(), failure->write.get()};
  const pid_t parent = getpid();
  {
    // Between fork and exec our own handlers would take the signals of the child.
    const BlockedSignals held;
    child.process_ = fork();
    if (child.process_ == 0) become(argv, all, streams, parent);
    if (child.process_ > 0) remember(child.process_);
  }
  if (child.process_ < 0) return no_process();
  // Here as well, for a parent that signals it before it has come so far.
  setpgid(child.process_, child.process_);
  child.exit_ = FileDescriptor{static_cast<int>(syscall(SYS_pidfd_open, child.process_, 0))};
  child.output_ = std::move(output->read);
  child.error_ = std::move(error->read);
  child.failure_ = std::move(failure->read);
  return child;
}

LocalChild::LocalChild(LocalChild&& other) noexcept
    : process_{std::exchange(other.process_, -1)},
      mark_{std::move(other.mark_)},
      output_{std::move(other.output_)},
      error_{std::move(other.error_)},
      exit_{std::move(other.exit_)},
      failure_{std::move(other.failure_)} {}

LocalChild::~LocalChild() {
  if (process_ < 0) return;
  kill(-process_, SIGKILL);
  kill(process_, SIGKILL);
  // One that the kernel can't end now, as it waits for a device, is left to it.
  waitpid(process_, nullptr, WNOHANG);
  forget(process_);
}

std::optional<int> LocalChild::why_not_started() const {
  int number = 0;
  return read(failure_.get(), &number, sizeof number) == sizeof number ? std::optional{number}
                                                                       : std::nullopt;
}

bool LocalChild::has_ended() const {
  siginfo_t info{};
  const int asked = waitid(P_PID, static_cast<id_t>(process_), &info, WEXITED | WNOHANG | WNOWAIT);
  // Without a child that could be asked there is nothing to wait for.
  return asked != 0 ? errno == ECHILD : info.si_pid == process_;
}

void LocalChild::signal_all(int signal) const {
  kill(-process_, signal);
  kill(process_, signal);
  for (const pid_t process : marked(mark_))
    kill(process, signal);
}

int LocalChild::reap() {
  int status = 0;
  pid_t found = 0;
  do {
    found = waitpid(process_, &status, 0);
  } while (found < 0 && errno == EINTR);
  forget(std::exchange(process_, -1));
  // Another thread has reaped it, and its exit status is unknown: that is no success.
  if (found < 0) return kNotRun;
  return WIFSIGNALED(status) ? kSignalBase + WTERMSIG(status) : WEXITSTATUS(status);
}

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
