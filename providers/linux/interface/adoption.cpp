// SPDX-License-Identifier: Apache-2.0
#include "providers/linux/interface/adoption.hpp"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "engine/base/check.hpp"
#include "engine/base/text.hpp"
#include "engine/platform/linux/sh/scripts.hpp"
#include "engine/remote/file_digest.hpp"
#include "engine/remote/sh/scripts.hpp"

namespace fabric::providers {

namespace {

constexpr std::string_view kFolder = "/var/lib/fabric/adopted/";
// What was given back last, for a rollback; nothing reads it otherwise.
constexpr std::string_view kGivenBack = "/var/lib/fabric/given-back/";

// Before each line that is commented out; `|` and what sed takes for more than itself don't occur.
std::string mark_of(const LinkTarget& target) {
  return fmt::format(
      "{}{}# ", remote::kAdoptedMark, file_stem(target.address.kind, target.address.name));
}

// `put_file FROM TO`: as a whole or not at all, with its mode and owner, and for good. What begins
// with a dot no reader of a folder takes for a file of its own.
constexpr const char* kPutFile = R"sh(
put_file() {
  new=${2%/*}/.fabric-new.$$
  mkdir -p "${2%/*}" && cp -p "$1" "$new" && flush_file "$new" && mv -f "$new" "$2" || return 1
  flush_folder "${2%/*}"
}
)sh";

// $1 the folder, $2 a file, $3 "whole" or "part", $4 its digest. What was kept first is given back
// one day; what came after it is kept beside it.
constexpr const char* kKeep = R"sh(kept=$1/$3$2
if [ -e "$kept" ] && is_unchanged "$kept" "$4"; then exit 0; fi
is_unchanged "$2" "$4" || changed "$2"
[ ! -e "$kept" ] || kept=$1/later$2
put_file "$2" "$kept" || exit 1
is_unchanged "$kept" "$4" || { rm -f "$kept"; changed "$2"; }
)sh";

// $1 a file, $2 its digest, $3 the mark, then stanzas: each the lines that go, by their text, and
// the line that stands in their place, or nothing. A line is empty where a probe hides it. What was
// done before is done again without harm.
constexpr const char* kCommentOut = R"sh(file=$1 digest=$2 mark=$3
shift 3
new=${file%/*}/.fabric-new.$$
line_end='
'
return=$(printf '\r')
give_up() { rm -f "$new" "$new.next"; echo "$file: $1" >&2; exit 1; }
fits() {
  [ "$plain" != "$wanted" ] || return 0
  case $wanted-$plain in
    -*wpa-* | -*wireless-key*) return 0 ;;
  esac
  return 1
}
comment() {
  rest=$1 held='' marked=''
  while :; do
    end=$line_end
    IFS= read -r line || { [ -n "$line" ] || break; end=''; }
    plain=${line#"$mark"}
    plain=${plain%"$return"}
    [ -z "$stub" ] || [ "$plain" != "$stub" ] || continue
    wanted=${rest%%"$line_end"*}
    if [ -n "$held" ] && ! fits; then
      printf '%s' "$held"
      rest=$1 held='' marked=''
      wanted=${rest%%"$line_end"*}
    fi
    if ! fits; then
      printf '%s' "$line$end"
      continue
    fi
    held=$held$line$end
    marked=$marked$mark${line#"$mark"}$end
    case $rest in
      *"$line_end"*) rest=${rest#*"$line_end"} ;;
      *)
        printf '%s' "$marked"
        [ -z "$stub" ] || printf '%s\n' "$stub"
        found=yes rest=$1 held='' marked=''
        ;;
    esac
  done
  printf '%s' "$held"
}
is_unchanged "$file" "$digest" || changed "$file"
cp -p "$file" "$new" || give_up "cannot be copied"
while [ "$#" -gt 1 ]; do
  found= stub=$2
  comment "$1" <"$new" >"$new.next" || give_up "cannot be written"
  [ -n "$found" ] || give_up "has no lines such as: ${1%%"$line_end"*}"
  cat "$new.next" >"$new" || give_up "cannot be written"
  shift 2
done
rm -f "$new.next"
flush_file "$new" || give_up "cannot be flushed to the disk"
if ! is_unchanged "$new" "$digest" || ! is_unchanged "$file" "$digest"; then
  rm -f "$new"
  changed "$file"
fi
mv -f "$new" "$file" || give_up "cannot be replaced"
flush_folder "${file%/*}"
)sh";

// $1 the folder, $2 the mark, $3 where the folder goes when all is given back, then files and their
// digests. A shared file is mended in place, for it may have changed since; its copy is there for
// people. How it was before and after is kept, so that this can be rolled back. Where somebody has
// put a file of his own in the place of one that was kept, his stays.
constexpr const char* kPutBack = R"sh(kept=$1 mark=$2 given=$3
shift 3
while [ "$#" -gt 1 ]; do
  is_unchanged "$1" "$2" || changed "$1"
  shift 2
done
[ -d "$kept" ] || exit 0
is_free() {
  [ ! -L "$1" ] || return 1
  [ -e "$1" ] || return 0
  read -r first <"$1"
  case $first in
    "# managed by fabric: "*) return 0 ;;
  esac
  return 1
}
if [ -d "$kept/whole" ]; then
  (cd "$kept/whole" && find . -type f) | while IFS= read -r file; do
    file=${file#./}
    case ${file##*/} in
      .fabric-new.*) continue ;;
    esac
    ! is_free "/$file" || put_file "$kept/whole/$file" "/$file" || exit 1
  done || exit 1
fi
for file in /etc/network/interfaces /etc/network/interfaces.d/* /etc/netplan/*.yaml; do
  [ -f "$file" ] && [ ! -L "$file" ] || continue
  if grep -q "^$mark" "$file"; then
    put_file "$file" "$kept/before$file" && put_file "$file" "$kept/after$file" || exit 1
    sed -e "/ ${mark% }\$/d" -e "s|^$mark||" "$kept/before$file" >"$kept/after$file" || exit 1
    cmp -s "$file" "$kept/before$file" || changed "$file"
    put_file "$kept/after$file" "$file" || exit 1
  fi
done
rm -rf "$given" && mkdir -p "${given%/*}" && mv "$kept" "$given" || exit 1
flush_folder "${given%/*}" "${kept%/*}"
)sh";

// $1 the folder, $2 the mark, $3 where kPutBack left it. What was changed after it was given back
// is not ours to take again. A folder that is still there was given back in part, or not at all.
constexpr const char* kTakeAgain = R"sh([ -d "$1" ] || mv "$3" "$1" || exit 1
if [ -d "$1/whole" ]; then
  (cd "$1/whole" && find . -type f) | while IFS= read -r file; do
    cmp -s "$1/whole/$file" "/${file#./}" || continue
    rm -f "/${file#./}" || exit 1
  done || exit 1
fi
if [ -d "$1/before" ]; then
  (cd "$1/before" && find . -type f) | while IFS= read -r file; do
    case ${file##*/} in
      .fabric-new.*) continue ;;
    esac
    if cmp -s "$1/before/$file" "/${file#./}"; then continue; fi
    if [ -e "$1/after/$file" ]; then cmp -s "$1/after/$file" "/${file#./}" || exit 1; fi
    put_file "$1/before/$file" "/${file#./}" || exit 1
  done || exit 1
fi
rm -rf "$1/before" "$1/after"
)sh";

std::string script_of(const char* script) {
  return fmt::format("{}{}{}{}", sh::file_digest.text, sh::flush.text, kPutFile, script);
}

// The lines of an entry of a shared file.
std::string lines_of(const FileTexts& files, const ForeignEntry& entry) {
  const std::vector<std::string_view> lines = split_lines(files.at(entry.path));
  FABRIC_CHECK(
      entry.line > 0 && entry.line <= entry.last_line && entry.last_line <= lines.size(),
      "an entry of somebody else stands in its file");
  std::string text;
  for (std::size_t line = entry.line; line <= entry.last_line; ++line) {
    if (line > entry.line) text += '\n';
    text += lines[line - 1];
  }
  return text;
}

// A line that is told from somebody's by its end.
std::string marked_stub(const LinkTarget& target, const ForeignEntry& entry) {
  if (entry.stub.empty()) return {};
  const std::string mark = mark_of(target);
  return fmt::format("{} {}", entry.stub, mark.substr(0, mark.size() - 1));
}

remote::Argv with_folders(const char* script, const LinkTarget& target) {
  const std::string stem = file_stem(target.address.kind, target.address.name);
  return {
      "sh",
      "-c",
      script_of(script),
      "fabric",
      adoption_folder(target),
      mark_of(target),
      fmt::format("{}{}", kGivenBack, stem)};
}

}  // namespace

std::string adoption_folder(const LinkTarget& target) {
  return fmt::format("{}{}", kFolder, file_stem(target.address.kind, target.address.name));
}

bool has_adopted(const LinkTarget& target, const FileTexts& files) {
  return files.contains(adoption_folder(target));
}

std::string adoption_obstacle(
    const std::vector<ForeignEntry>& entries, const FileDigests& digests) {
  for (const ForeignEntry& entry : entries) {
    std::string why =
        entry.path.starts_with("/run/") ? "it is made anew at every boot" : entry.not_adoptable;
    if (why.empty() && !digests.contains(entry.path))
      why = "it is a link, or these facts have no digest of it";
    if (!why.empty()) return fmt::format("{}:{}: {}", entry.path, entry.line, why);
  }
  return {};
}

std::vector<remote::Argv> keep_copies(
    const LinkTarget& target,
    const std::vector<ForeignEntry>& entries,
    const FileDigests& digests) {
  std::vector<remote::Argv> commands;
  for (const ForeignEntry& entry : entries) {
    remote::Argv keep{
        "sh",
        "-c",
        script_of(kKeep),
        "fabric",
        adoption_folder(target),
        entry.path,
        entry.last_line == 0 ? "whole" : "part",
        digests.at(entry.path)};
    if (std::find(commands.begin(), commands.end(), keep) == commands.end())
      commands.push_back(std::move(keep));
  }
  return commands;
}

std::vector<FileCondition> adopted_as_read(
    const std::vector<ForeignEntry>& entries, const FileDigests& digests) {
  std::vector<FileCondition> conditions;
  for (const ForeignEntry& entry : entries) {
    FileCondition condition{entry.path, digests.at(entry.path)};
    if (std::find(conditions.begin(), conditions.end(), condition) == conditions.end())
      conditions.push_back(std::move(condition));
  }
  return conditions;
}

std::vector<FileCondition> marked_as_read(
    const LinkTarget& target, const FileTexts& files, const FileDigests& digests) {
  const std::string mark = mark_of(target);
  std::vector<FileCondition> conditions;
  for (const auto& [path, content] : files) {
    const bool is_marked =
        content.starts_with(mark) || content.find("\n" + mark) != std::string::npos;
    const auto digest = digests.find(path);
    if (is_marked && digest != digests.end()) conditions.push_back({path, digest->second});
  }
  return conditions;
}

std::vector<std::string> adopted_files(const std::vector<ForeignEntry>& entries) {
  std::vector<std::string> paths;
  for (const ForeignEntry& entry : entries) {
    const bool known = std::find(paths.begin(), paths.end(), entry.path) != paths.end();
    if (entry.last_line == 0 && !known) paths.push_back(entry.path);
  }
  return paths;
}

std::vector<remote::Argv> comment_out(
    const LinkTarget& target,
    const std::vector<ForeignEntry>& entries,
    const FileTexts& files,
    const FileDigests& digests) {
  std::map<std::string, remote::Argv> by_file;
  for (const ForeignEntry& entry : entries) {
    if (entry.last_line == 0) continue;
    const remote::Argv begin{
        "sh",
        "-c",
        script_of(kCommentOut),
        "fabric",
        entry.path,
        digests.at(entry.path),
        mark_of(target)};
    remote::Argv& command = by_file.try_emplace(entry.path, begin).first->second;
    command.push_back(lines_of(files, entry));
    command.push_back(marked_stub(target, entry));
  }
  std::vector<remote::Argv> commands;
  for (auto& [path, command] : by_file)
    commands.push_back(std::move(command));
  return commands;
}

remote::Argv put_back(const LinkTarget& target, const std::vector<FileCondition>& as_read) {
  remote::Argv command = with_folders(kPutBack, target);
  for (const FileCondition& file : as_read)
    command.insert(command.end(), {file.path, file.digest});
  return command;
}

remote::Argv take_again(const LinkTarget& target) {
  return with_folders(kTakeAgain, target);
}

}  // namespace fabric::providers
