#include "engine/ssh/local_command.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <optional>
#include <system_error>

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include "engine/base/file_descriptor.hpp"
#include "engine/base/limits.hpp"

namespace fabric::ssh {

namespace {

constexpr int kSignalBase = 128;  // as a shell says that a signal ended a command

struct Pipe {
  FileDescriptor read, write;
};

std::optional<Pipe> make_pipe() {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) return std::nullopt;
  return Pipe{FileDescriptor{ends[0]}, FileDescriptor{ends[1]}};
}

class Spawn {
 public:
  Spawn() {
    posix_spawn_file_actions_init(&actions_);
    posix_spawnattr_init(&attributes_);
    posix_spawnattr_setflags(&attributes_, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK);
    sigset_t none;
    sigemptyset(&none);
    posix_spawnattr_setsigmask(&attributes_, &none);
  }
  ~Spawn() {
    posix_spawn_file_actions_destroy(&actions_);
    posix_spawnattr_destroy(&attributes_);
  }
  Spawn(const Spawn&) = delete;
  Spawn& operator=(const Spawn&) = delete;

  // 0, or an errno.
  int start(
      const remote::step::RunHere& here, const Pipe& output, const Pipe& error, pid_t& child) {
    posix_spawn_file_actions_addopen(&actions_, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&actions_, output.write.get(), STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions_, error.write.get(), STDERR_FILENO);
    remote::Argv words = here.command.argv;
    std::vector<std::string> variables = environment_with(here.environment);
    return posix_spawnp(
        &child,
        words.front().c_str(),
        &actions_,
        &attributes_,
        pointers(words).data(),
        pointers(variables).data());
  }

 private:
  // posix_spawnp takes char*, for historical reasons.
  static std::vector<char*> pointers(std::vector<std::string>& texts) {
    std::vector<char*> all;
    all.reserve(texts.size() + 1);
    for (std::string& text : texts)
      all.push_back(text.data());
    all.push_back(nullptr);
    return all;
  }

  static std::vector<std::string> environment_with(
      const std::map<std::string, std::string>& added) {
    std::vector<std::string> variables;
    for (const auto& [name, value] : added)
      variables.push_back(fmt::format("{}={}", name, value));
    for (char** variable = environ; *variable != nullptr; ++variable) {
      const std::string_view text{*variable};
      if (!added.contains(std::string{text.substr(0, text.find('='))}))
        variables.emplace_back(text);
    }
    return variables;
  }

  posix_spawn_file_actions_t actions_{};
  posix_spawnattr_t attributes_{};
};

// False at its end. What is over the limit is read and dropped.
bool take(int descriptor, std::string& stream) {
  std::array<char, 4096> block{};
  const ssize_t got = read(descriptor, block.data(), block.size());
  if (got < 0) return errno == EINTR || errno == EAGAIN;
  if (got == 0) return false;
  const std::size_t room = limits::kCommandOutputBytes - stream.size();
  stream.append(block.data(), std::min(static_cast<std::size_t>(got), room));
  return true;
}

enum class Ending : std::uint8_t { done, late, stopped };

// Until both streams have ended: then nothing that it started holds them.
Ending listen(
    std::array<pollfd, 3> waits,
    remote::CommandOutput& output,
    const Clock& clock,
    TimePoint deadline) {
  while (waits[0].fd >= 0 || waits[1].fd >= 0) {
    const Duration left = deadline - clock.now();
    if (left <= Duration::zero()) return Ending::late;
    if (poll(waits.data(), waits.size(), static_cast<int>(left.count())) < 0 && errno != EINTR)
      return Ending::late;
    if (waits[2].revents != 0) return Ending::stopped;
    if (waits[0].revents != 0 && !take(waits[0].fd, output.standard_output)) waits[0].fd = -1;
    if (waits[1].revents != 0 && !take(waits[1].fd, output.standard_error)) waits[1].fd = -1;
  }
  return Ending::done;
}

int wait_for(pid_t child) {
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFSIGNALED(status) ? kSignalBase + WTERMSIG(status) : WEXITSTATUS(status);
}

Execution not_started(const std::string& name, int number) {
  return {
      remote::Outcome::failed,
      {},
      {number == ENOENT ? ErrorCode::not_found : ErrorCode::denied,
       fmt::format(
           "{}: can't be run on this machine: {}", name, std::generic_category().message(number))}};
}

}  // namespace

Execution run_here(const remote::step::RunHere& here, const Clock& clock, StopSignal& stop) {
  const remote::Command& command = here.command;
  const std::string& name = command.argv.front();
  std::optional<Pipe> output = make_pipe();
  std::optional<Pipe> error = make_pipe();
  if (!output || !error) return not_started(name, errno);
  pid_t child = 0;
  if (const int number = Spawn{}.start(here, *output, *error, child); number != 0)
    return not_started(name, number);
  output->write.close();
  error->write.close();
  Execution execution;
  const Ending ending = listen(
      {{{output->read.get(), POLLIN, 0},
        {error->read.get(), POLLIN, 0},
        {stop.descriptor(), POLLIN, 0}}},
      execution.output,
      clock,
      clock.now() + command.timeout);
  if (ending != Ending::done) kill(-child, SIGKILL);
  execution.output.exit_status = wait_for(child);
  if (ending == Ending::done) return execution;
  execution.outcome = remote::Outcome::unknown;
  execution.error =
      ending == Ending::late
          ? Error{ErrorCode::timed_out, fmt::format("{}: no end within {}", name, format_duration(command.timeout))}
          : Error{ErrorCode::cancelled, name + ": abandoned"};
  return execution;
}

}  // namespace fabric::ssh
