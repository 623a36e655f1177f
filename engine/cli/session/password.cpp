#include "engine/cli/session/password.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>

#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

namespace fabric::cli {

namespace {

// Longer output is no password, whatever the command printed.
constexpr std::size_t kLongestPassword = 4096;

[[noreturn]] void become_command(const std::vector<std::string>& command, int output) {
  // execvp takes char*, for historical reasons: it gets words of its own.
  std::vector<std::string> words = command;
  std::vector<char*> argv;
  argv.reserve(words.size() + 1);
  for (std::string& word : words)
    argv.push_back(word.data());
  argv.push_back(nullptr);
  dup2(output, STDOUT_FILENO);
  execvp(argv.front(), argv.data());
  constexpr int kNotFound = 127;
  _exit(kNotFound);
}

std::string read_all(int input) {
  std::string text;
  std::array<char, 512> block{};
  while (text.size() <= kLongestPassword) {
    const ssize_t got = read(input, block.data(), block.size());
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    text.append(block.data(), static_cast<std::size_t>(got));
  }
  block.fill('\0');
  return text;
}

Result<Secret> ask_command(const std::vector<std::string>& command) {
  std::array<int, 2> ends{};
  if (pipe(ends.data()) != 0) return Error{ErrorCode::internal, "no pipe for the password command"};
  const pid_t child = fork();
  if (child == 0) {
    close(ends[0]);
    become_command(command, ends[1]);
  }
  close(ends[1]);
  std::string text = child < 0 ? std::string{} : read_all(ends[0]);
  close(ends[0]);
  int status = 0;
  if (child < 0 || waitpid(child, &status, 0) < 0 || !WIFEXITED(status) ||
      WEXITSTATUS(status) != 0) {
    return Error{
        ErrorCode::denied, fmt::format("the password command '{}' failed", command.front())};
  }
  text.resize(std::min(text.find('\n'), text.size()));
  return Secret{std::move(text)};
}

}  // namespace

Result<Secret> read_password(const PasswordSource& source) {
  if (!source.command.empty()) return ask_command(source.command);
  // NOLINTNEXTLINE(concurrency-mt-unsafe): nothing in fabric changes the environment.
  const char* value = std::getenv(source.environment_variable.c_str());
  if (value == nullptr) {
    return Error{
        ErrorCode::not_found,
        fmt::format(
            "the environment has no variable {} for the password", source.environment_variable)};
  }
  return Secret{value};
}

}  // namespace fabric::cli
