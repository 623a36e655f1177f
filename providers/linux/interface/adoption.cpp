#include "providers/linux/interface/adoption.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace fabric::providers {

namespace {

constexpr std::string_view kFolder = "/var/lib/fabric/adopted/";
// What was given back last, for a rollback; nothing reads it otherwise.
constexpr std::string_view kGivenBack = "/var/lib/fabric/given-back/";

// Before each line that is commented out; `|` and what sed takes for more than itself don't occur.
std::string mark_of(const LinkTarget& target) {
  return fmt::format(
      "#adopted by fabric {}# ", file_stem(target.address.kind, target.address.name));
}

// $1 the folder, $2 a file, $3 "whole" or "part". What was kept first stays: it is the oldest.
constexpr const char* kKeep =
    "[ -e \"$1/$3$2\" ] || { mkdir -p \"$1/$3${2%/*}\" && cp -p \"$2\" \"$1/$3$2\"; }";

// $1 the folder, $2 the mark, $3 where the folder goes when all is given back. A shared file is
// mended in place, for it may have changed since; its copy is there for people. How it was before
// and after is kept, so that this can be rolled back.
constexpr const char* kPutBack = R"sh([ -d "$1" ] || exit 0
if [ -d "$1/whole" ]; then
  (cd "$1/whole" && find . -type f) | while IFS= read -r file; do
    cp -p "$1/whole/$file" "/${file#./}" || exit 1
  done || exit 1
fi
for file in /etc/network/interfaces /etc/network/interfaces.d/*; do
  [ -f "$file" ] || continue
  if grep -q "^$2" "$file"; then
    mkdir -p "$1/before${file%/*}" "$1/after${file%/*}" || exit 1
    cp -p "$file" "$1/before$file" && sed -i "s|^$2||" "$file" || exit 1
    cp -p "$file" "$1/after$file" || exit 1
  fi
done
rm -rf "$3" && mkdir -p "${3%/*}" && mv "$1" "$3")sh";

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
    if cmp -s "$1/before/$file" "/${file#./}"; then continue; fi
    if [ -e "$1/after/$file" ]; then cmp -s "$1/after/$file" "/${file#./}" || exit 1; fi
    cp -p "$1/before/$file" "/${file#./}" || exit 1
  done || exit 1
fi
rm -rf "$1/before" "$1/after")sh";

remote::Argv with_folders(const char* script, const LinkTarget& target) {
  const std::string stem = file_stem(target.address.kind, target.address.name);
  return {
      "sh",
      "-c",
      script,
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

std::string adoption_obstacle(const std::vector<ForeignEntry>& entries) {
  for (const ForeignEntry& entry : entries) {
    const std::string why =
        entry.path.starts_with("/run/") ? "it is made anew at every boot" : entry.not_adoptable;
    if (!why.empty()) return fmt::format("{}:{}: {}", entry.path, entry.line, why);
  }
  return {};
}

std::vector<remote::Argv> keep_copies(
    const LinkTarget& target, const std::vector<ForeignEntry>& entries) {
  std::vector<remote::Argv> commands;
  for (const ForeignEntry& entry : entries) {
    const char* part = entry.last_line == 0 ? "whole" : "part";
    remote::Argv keep{"sh", "-c", kKeep, "fabric", adoption_folder(target), entry.path, part};
    if (std::find(commands.begin(), commands.end(), keep) == commands.end())
      commands.push_back(std::move(keep));
  }
  return commands;
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
    const LinkTarget& target, const std::vector<ForeignEntry>& entries) {
  std::vector<remote::Argv> commands;
  for (const ForeignEntry& entry : entries) {
    if (entry.last_line == 0) continue;
    commands.push_back(
        {"sed",
         "-i",
         fmt::format("{},{}s|^|{}|", entry.line, entry.last_line, mark_of(target)),
         entry.path});
  }
  return commands;
}

remote::Argv put_back(const LinkTarget& target) {
  return with_folders(kPutBack, target);
}

remote::Argv take_again(const LinkTarget& target) {
  return with_folders(kTakeAgain, target);
}

}  // namespace fabric::providers
