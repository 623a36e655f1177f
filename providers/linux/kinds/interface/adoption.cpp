// SPDX-License-Identifier: Apache-2.0
#include "providers/linux/kinds/interface/adoption.hpp"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "engine/base/check.hpp"
#include "engine/base/text.hpp"
#include "engine/remote/file_digest.hpp"
#include "providers/linux/kinds/sh/scripts.hpp"

namespace fabric::providers {

namespace {

constexpr std::string_view kAdoptionFolder = "/var/lib/fabric/adopted/";
// The files that were given back last, for a rollback only.
constexpr std::string_view kGivenBack = "/var/lib/fabric/given-back/";

// Before each line that is commented out; `|` and what sed takes for more than itself don't occur.
std::string mark_of(const LinkTarget& target) {
  return fmt::format(
      "{}{}# ", remote::kAdoptedMark, file_stem(target.address.kind, target.address.name));
}

// The lines of an entry of a shared file.
std::string lines_of(const FileTexts& files, const ForeignEntry& entry) {
  const std::vector<std::string_view> lines = split_lines(files.at(entry.path));
  FABRIC_CHECK(
      entry.line > 0 && entry.line <= entry.last_line && entry.last_line <= lines.size(),
      "its file has an entry that fabric did not write");
  std::string text;
  for (std::size_t line = entry.line; line <= entry.last_line; ++line) {
    if (line > entry.line) text += '\n';
    text += lines[line - 1];
  }
  return text;
}

// A line of fabric's is told from foreign lines by its end.
std::string marked_stub(const LinkTarget& target, const ForeignEntry& entry) {
  if (entry.stub.empty()) return {};
  const std::string mark = mark_of(target);
  return fmt::format("{} {}", entry.stub, mark.substr(0, mark.size() - 1));
}

remote::Argv with_folders(const remote::Script& script, const LinkTarget& target) {
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
  return fmt::format("{}{}", kAdoptionFolder, file_stem(target.address.kind, target.address.name));
}

bool has_adopted(const LinkTarget& target, const FileTexts& files) {
  return files.contains(adoption_folder(target));
}

std::string adoption_obstacle(const ForeignEntry& entry, const FileDigests& digests) {
  if (entry.stays) return {};
  if (entry.path.starts_with("/run/")) return "the file is made anew at every boot";
  if (!entry.not_adoptable.empty()) return entry.not_adoptable;
  return digests.contains(entry.path) ? ""
                                      : "the file is a link, or the facts have no digest of it";
}

std::string adoption_obstacle(
    const std::vector<ForeignEntry>& entries, const FileDigests& digests) {
  for (const ForeignEntry& entry : entries) {
    const std::string why = adoption_obstacle(entry, digests);
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
    if (entry.stays) continue;
    remote::Argv keep{
        "sh",
        "-c",
        sh::adoption_keep,
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
    if (!digests.contains(entry.path)) continue;  // it stays
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
    if (entry.last_line == 0 && !entry.stays && !known) paths.push_back(entry.path);
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
        sh::adoption_comment_out,
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
  remote::Argv command = with_folders(sh::adoption_put_back, target);
  for (const FileCondition& file : as_read)
    command.insert(command.end(), {file.path, file.digest});
  return command;
}

remote::Argv take_again(const LinkTarget& target) {
  return with_folders(sh::adoption_take_again, target);
}

}  // namespace fabric::providers
