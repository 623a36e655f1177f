// SPDX-License-Identifier: Apache-2.0
#include "engine/remote/perform.hpp"

#include <fmt/format.h>

#include "engine/base/check.hpp"
#include "engine/base/overloaded.hpp"
#include "engine/remote/sh/scripts.hpp"

namespace fabric::remote {

namespace {

// The environment is set before the gate is read: one process removes the gate and then looks for
// running steps, and this one sets its mark and then reads the gate, so one of the two always sees
// the other.
constexpr const char* kGateScript =
    R"sh([ -e "$FABRIC_GATE" ] || { echo "it came too late: $FABRIC_GATE is gone" >&2; exit 75; }
exec "$@")sh";

Command behind(const std::string& gate, Command command) {
  if (gate.empty()) return command;
  const Argv prefix{"env", "FABRIC_GATE=" + gate, "sh", "-c", kGateScript, "fabric-gate"};
  command.argv.insert(command.argv.begin(), prefix.begin(), prefix.end());
  return command;
}

Command fenced(const Argv& fence, Command command) {
  command.argv.insert(command.argv.begin(), fence.begin(), fence.end());
  return command;
}

constexpr Duration kCopyTimeout{600'000};

Command write_command(const step::WriteFile& file) {
  FABRIC_CHECK(file.path.starts_with('/'), "a file is written by its absolute path");
  return Command{
      {"sh",
       "-c",
       sh::file_write,
       "fabric-write",
       file.path,
       fmt::format("{:04o}", file.mode),
       file.owner,
       std::to_string(file.content.size()),
       "",
       file.former},
      file.content};
}

Command remove_command(const step::RemoveFile& file) {
  FABRIC_CHECK(file.path.starts_with('/'), "a file is removed by its absolute path");
  return Command{{"sh", "-c", sh::file_remove, "fabric-remove", file.path, file.former}, ""};
}

}  // namespace

bool is_shell_step(const Step& step) {
  return std::holds_alternative<step::Run>(step) || std::holds_alternative<step::WriteFile>(step) ||
         std::holds_alternative<step::CopyFile>(step) ||
         std::holds_alternative<step::RemoveFile>(step);
}

Command command_for(const Step& step) {
  return std::visit(
      Overloaded{
          [](const step::Run& run) { return fenced(run.fence, behind(run.gate, run.command)); },
          [](const step::WriteFile& file) {
            return fenced(file.fence, behind(file.gate, write_command(file)));
          },
          [](const step::RemoveFile& file) {
            return fenced(file.fence, behind(file.gate, remove_command(file)));
          },
          [](const step::CopyFile&) -> Command {
            report_bug(__FILE__, __LINE__, "a copy needs the content of its source");
          },
          [](const step::RunHere&) -> Command {
            report_bug(__FILE__, __LINE__, "a command of this machine is none of the node");
          },
          [](const step::Converse&) -> Command {
            report_bug(__FILE__, __LINE__, "lines at a prompt are no command of a shell");
          },
          [](const step::Pause&) -> Command {
            report_bug(__FILE__, __LINE__, "a pause is no command");
          }},
      step);
}

const Command* command_as_it_is(const Step& step) {
  const auto* run = std::get_if<step::Run>(&step);
  return run != nullptr && run->fence.empty() && run->gate.empty() ? &run->command : nullptr;
}

Command command_for(const step::CopyFile& copy, std::string content) {
  FABRIC_CHECK(copy.path.starts_with('/'), "a file is copied to an absolute path");
  // Ten minutes carry 32 MB over 0.5 Mbit/s.
  return fenced(
      copy.fence,
      Command{
          {"sh",
           "-c",
           sh::file_write,
           "fabric-write",
           copy.path,
           fmt::format("{:04o}", copy.mode),
           copy.owner,
           std::to_string(copy.bytes),
           copy.sha256},
          std::move(content),
          kCopyTimeout});
}

Command with_sudo(Command command) {
  const Argv sudo{"sudo", "-n", "--"};
  command.argv.insert(command.argv.begin(), sudo.begin(), sudo.end());
  return command;
}

}  // namespace fabric::remote
