// SPDX-License-Identifier: Apache-2.0
#include "providers/linux/kinds/interface/foreign_entries.hpp"

#include <algorithm>
#include <map>
#include <string_view>

#include "engine/model/resource_keys.hpp"
#include "providers/linux/kinds/interface/backends/networkd_match.hpp"
#include "providers/linux/kinds/port/name_file.hpp"

namespace fabric::providers {

namespace {

// What netplan makes of its own files, whose entries say the same.
constexpr std::string_view kOfNetplan = "/run/systemd/network/10-netplan-";

std::string_view base_name(std::string_view path) {
  return path.substr(path.rfind('/') + 1);
}

// By name, the files with this ending that systemd reads: one in /etc hides the others.
std::map<std::string_view, const std::string*> in_order(
    const FileTexts& files, std::string_view ending) {
  std::map<std::string_view, const std::string*> paths;
  for (const auto& [path, content] : files)
    if (path.find("/systemd/network/") != std::string::npos && path.ends_with(ending))
      paths.emplace(base_name(path), &path);
  return paths;
}

// A file for a whole class of interfaces, which networkd takes until ours is there.
void add_class_file(
    std::vector<ForeignEntry>& entries,
    const LinkTarget& target,
    const std::string& own,
    const FileTexts& files) {
  if (files.contains(own)) return;
  for (const auto& [name, path] : in_order(files, ".network")) {
    const MatchVerdict verdict = judge_match(target, files.at(*path));
    if (!verdict.matches) continue;
    const bool known = verdict.names_it || name < base_name(own);
    if (!known) entries.push_back({*path, verdict.line, 0, {}, {}, true});
    return;
  }
}

}  // namespace

std::vector<ForeignEntry> other_link_files(
    const LinkTarget& port, const std::string& own, bool is_written, const FileTexts& files) {
  std::vector<ForeignEntry> entries;
  for (const auto& [path, content] : files)
    if (path.starts_with(own + ".d/") && !is_owned(content))
      entries.push_back({path, 1, 0, "it changes the values of a file of fabric's"});
  for (const auto& [name, path] : in_order(files, ".link")) {
    const std::string& content = files.at(*path);
    if (is_owned(content) || path->starts_with(kOfNetplan)) continue;
    const MatchVerdict verdict = judge_match(port, content);
    if (!verdict.matches) continue;
    const bool comes_first = name < base_name(own);
    if (!comes_first && (is_written || !entries.empty())) break;
    ForeignEntry& entry = entries.emplace_back(ForeignEntry{*path, verdict.line});
    if (!verdict.alone && comes_first) entry.not_adoptable = "the file is for other interfaces too";
    entry.stays = !verdict.alone && !comes_first;
  }
  return entries;
}

std::vector<ForeignEntry> foreign_entries(
    const FoundLink& link, const NetworkBackend& backend, const FileTexts& files) {
  const LinkTarget& target = link.target;
  std::vector<ForeignEntry> entries = backend.foreign(target, files);
  LinkTarget now = target;
  if (!link.device.empty()) now.name = link.device;
  if (backend.name() == "networkd")
    add_class_file(entries, now, backend.paths(target).front(), files);
  if (target.kind != LinkKind::port || !target.is_named) return entries;
  std::vector<ForeignEntry> more;
  if (now.name != target.name) more = backend.foreign(now, files);
  const NamedPort named{target.card, target.port, target.infiniband};
  if (!is_named_by_rule(named)) {
    ResourceAddress link_name = target.address;
    link_name.kind = kinds::kLinkName;
    const std::string own = target.name_file ? target.name_file->path : name_path(named, link_name);
    const auto file = files.find(own);
    const bool is_written = file != files.end() && is_owned(file->second) &&
                            name_in_file(file->second, named) == target.name;
    for (ForeignEntry& entry : other_link_files(now, own, is_written, files))
      more.push_back(std::move(entry));
  }
  for (ForeignEntry& entry : more) {
    const bool known = std::any_of(entries.begin(), entries.end(), [&entry](const auto& each) {
      return each.path == entry.path && each.line == entry.line;
    });
    if (!known) entries.push_back(std::move(entry));
  }
  return entries;
}

}  // namespace fabric::providers
