// SPDX-License-Identifier: Apache-2.0
#include "engine/cli/session/password.hpp"

#include <algorithm>
#include <cstdlib>

#include <fmt/format.h>

#include "engine/ssh/local_command.hpp"

namespace fabric::cli {

namespace {

// Longer output of the command is no password.
constexpr std::size_t kLongestPassword = 4096;

Result<Secret> first_line(std::string text, const std::string& program) {
  Secret all{std::move(text)};
  const std::string& printed = all.reveal();
  const std::size_t length = std::min(printed.find('\n'), printed.size());
  if (length == 0 || length > kLongestPassword) {
    return Error{
        ErrorCode::denied,
        fmt::format(
            "the password command '{}' printed {}",
            program,
            length == 0 ? "nothing" : "a line that is too long for a password")};
  }
  return Secret{printed.substr(0, length)};
}

Result<Secret> ask_command(
    const std::vector<std::string>& command,
    const Clock& clock,
    Duration timeout,
    ssh::StopSignal& stop) {
  const std::string& program = command.front();
  ssh::Execution asked =
      ssh::run_here({remote::Command{{command.begin(), command.end()}, {}, timeout}}, clock, stop);
  Secret printed{std::move(asked.output.standard_output)};  // wiped on every way out
  if (asked.outcome != remote::Outcome::succeeded)
    return with_context(asked.error, "the password command");
  if (asked.output.exit_status != 0) {
    return Error{
        ErrorCode::denied,
        fmt::format(
            "the password command '{}' failed: exit {}", program, asked.output.exit_status)};
  }
  return first_line(printed.reveal(), program);
}

}  // namespace

Result<Secret> password_in_variable(const std::string& name) {
  // NOLINTNEXTLINE(concurrency-mt-unsafe): nothing in fabric changes the environment.
  const char* value = std::getenv(name.c_str());
  if (value == nullptr) {
    return Error{
        ErrorCode::not_found,
        fmt::format("the environment has no variable {} for the password", name)};
  }
  return Secret{value};
}

Result<Secret> read_password(
    const PasswordSource& source, const Clock& clock, Duration timeout, ssh::StopSignal& stop) {
  return source.command.empty() ? password_in_variable(source.environment_variable)
                                : ask_command(source.command, clock, timeout, stop);
}

}  // namespace fabric::cli
