// SPDX-License-Identifier: Apache-2.0
#include "engine/remote/perform.hpp"

#include <fmt/format.h>

#include "engine/base/check.hpp"
#include "engine/base/overloaded.hpp"
#include "engine/remote/file_digest.hpp"

namespace fabric::remote {

namespace {

// $1 path, $2 mode, $3 owner, $4 bytes, $5 SHA-256 or nothing, $6 the digest of what it replaces or
// nothing; the content comes on standard input.
//
// The temporary begins with a dot and keeps no suffix, so that no reader of drop-in folders
// (`interfaces.d/*`, `*.network`, `*.conf`) takes it for a file of its own. A connection that is
// cut ends standard input early: the byte count then differs and the target stays as it was.
// `mv` would move into a folder of that name, hence the test. Old versions of sync take no
// operand; they flush everything, which is slower and as good. A folder that was made, now or by an
// attempt that was cut short, is a name in the one above.
constexpr const char* kWriteScript = R"(path=$1 mode=$2 owner=$3 bytes=$4 digest=$5 former=$6
folder=${path%/*}
temporary=${folder:-/}/.fabric-new.$$
give_up() { rm -f "$temporary"; echo "$path: $1" >&2; exit 1; }
if [ -d "$path" ]; then echo "$path: is a folder" >&2; exit 1; fi
umask 022
mkdir -p "${folder:-/}" || exit 1
umask 077
cat >"$temporary" || give_up "cannot be written"
got=$(wc -c <"$temporary")
[ "$got" -eq "$bytes" ] || give_up "expected $bytes bytes, got $got"
if [ -n "$digest" ]; then
  found=$(sha256sum <"$temporary") || give_up "sha256sum failed"
  [ "${found%% *}" = "$digest" ] || give_up "expected sha256 $digest, got ${found%% *}"
fi
chmod "$mode" "$temporary" || give_up "cannot set mode $mode"
chown "$owner" "$temporary" || give_up "cannot set owner $owner"
sync "$temporary" || give_up "cannot be flushed to the disk"
if [ -n "$former" ] && ! cmp -s "$temporary" "$path" && ! is_unchanged "$path" "$former"; then
  rm -f "$temporary"
  changed "$path"
fi
mv -f "$temporary" "$path" || give_up "cannot be replaced"
set --
while [ -n "$folder" ]; do
  set -- "$@" "$folder"
  folder=${folder%/*}
done
sync "$@" / 2>/dev/null || sync)";

// $1 path, $2 the digest of what it removes or nothing. Without its folder there is nothing to
// remove and nothing to flush.
constexpr const char* kRemoveScript = R"(path=$1 former=$2
folder=${path%/*}
if [ -n "$former" ] && { [ -e "$path" ] || [ -L "$path" ]; }; then
  is_unchanged "$path" "$former" || changed "$path"
fi
rm -f "$path" || exit 1
[ ! -d "${folder:-/}" ] || sync "${folder:-/}" 2>/dev/null || sync)";

// The environment is set before the look at the gate: of who removes that file and then looks for
// what runs, and this, one always sees the other.
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

std::string comparing(const std::string& former, const char* script) {
  return former.empty() ? script : digest_functions() + script;
}

Command write_command(const step::WriteFile& file) {
  FABRIC_CHECK(file.path.starts_with('/'), "a file is written by its absolute path");
  return Command{
      {"sh",
       "-c",
       comparing(file.former, kWriteScript),
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
  return Command{
      {"sh", "-c", comparing(file.former, kRemoveScript), "fabric-remove", file.path, file.former},
      ""};
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
           kWriteScript,
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
