// SPDX-License-Identifier: Apache-2.0
#include "engine/cli/lab/lab_daemon.hpp"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <system_error>

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include "engine/base/file_descriptor.hpp"
#include "engine/base/text.hpp"
#include "engine/cli/state/document.hpp"
#include "engine/files/write.hpp"

namespace fabric::cli {

namespace {

// Making host keys for a thousand nodes takes a while on a slow machine.
constexpr Duration kStartDeadline{180'000};
constexpr int kPollMilliseconds = 50;
constexpr std::size_t kLogBytes = std::size_t{1} << 20U;

// In the child, between fork and exec: only calls that are safe there.
[[noreturn]] void become_lab(std::vector<char*>& argv, int log) {
  setsid();
  const int nothing = open("/dev/null", O_RDONLY);
  dup2(nothing, STDIN_FILENO);
  dup2(log, STDOUT_FILENO);
  dup2(log, STDERR_FILENO);
  execv("/proc/self/exe", argv.data());
  constexpr int kNotExecutable = 126;
  _exit(kNotExecutable);
}

std::string last_lines(const std::string& log) {
  const Result<std::string> text = read_text_file(log, kLogBytes);
  if (!text) return "its log is empty";
  const std::string_view end = trim(*text);
  constexpr std::size_t kTail = 2000;
  return std::string{end.size() > kTail ? end.substr(end.size() - kTail) : end};
}

}  // namespace

Result<labserver::LabInfo> start_lab(
    const std::vector<std::string>& arguments,
    const std::string& folder,
    const std::string& log,
    const Clock& clock) {
  const FileDescriptor log_file = FABRIC_TRY(files::open_private(log));
  if (ftruncate(log_file.get(), 0) != 0) {
    return Error{
        ErrorCode::denied, fmt::format("{}: {}", log, std::generic_category().message(errno))};
  }
  std::vector<std::string> words{"fabric"};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> argv;
  for (std::string& word : words)
    argv.push_back(word.data());
  argv.push_back(nullptr);
  const pid_t child = fork();
  if (child == 0) become_lab(argv, log_file.get());
  if (child < 0) return Error{ErrorCode::denied, "this machine gives no process for the lab"};
  const TimePoint deadline = clock.now() + kStartDeadline;
  while (clock.now() < deadline) {
    Result<labserver::LabInfo> info = labserver::read_lab_info(folder);
    if (info && info->pid == child) return info;
    int status = 0;
    if (waitpid(child, &status, WNOHANG) == child) {
      return Error{ErrorCode::invalid, fmt::format("the lab did not start: {}", last_lines(log))};
    }
    poll(nullptr, 0, kPollMilliseconds);
  }
  kill(child, SIGTERM);
  return Error{
      ErrorCode::timed_out,
      fmt::format("the lab was not ready within {}; see {}", format_duration(kStartDeadline), log)};
}

}  // namespace fabric::cli
