// SPDX-License-Identifier: Apache-2.0
#include "engine/ssh/local_child.hpp"

#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <system_error>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/close_range.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "engine/base/text.hpp"
#include "engine/ssh/blocked_signals.hpp"

namespace fabric::ssh {

namespace {

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

}  // namespace

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

}  // namespace fabric::ssh
