#include "providers/interface/adoption.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace fabric::providers {

namespace {

constexpr std::string_view kFolder = "/var/lib/fabric/adopted/";

// Before each line that is commented out; `|` and what sed takes for more than itself don't occur.
std::string mark_of(const LinkTarget& target) {
  return fmt::format(
      "#adopted by fabric {}# ", file_stem(target.address.kind, target.address.name));
}

// $1 the folder, $2 a file, $3 "whole" or "part". What was kept first stays: it is the oldest.
constexpr const char* kKeep =
    "[ -e \"$1/$3$2\" ] || { mkdir -p \"$1/$3${2%/*}\" && cp -p \"$2\" \"$1/$3$2\"; }";

// $1 the folder, $2 the mark. A shared file is mended in place, for it may have changed since; its
// copy is there for people.
constexpr const char* kPutBack = R"sh([ -d "$1" ] || exit 0
if [ -d "$1/whole" ]; then
  (cd "$1/whole" && find . -type f) | while IFS= read -r file; do
    cp -p "$1/whole/$file" "/${file#./}" || exit 1
  done || exit 1
fi
for file in /etc/network/interfaces /etc/network/interfaces.d/*; do
  [ -f "$file" ] || continue
  if grep -q "^$2" "$file"; then sed -i "s|^$2||" "$file" || exit 1; fi
done
rm -r "$1")sh";

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
  return {"sh", "-c", kPutBack, "fabric", adoption_folder(target), mark_of(target)};
}

}  // namespace fabric::providers
