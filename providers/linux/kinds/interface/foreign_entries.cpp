// SPDX-License-Identifier: Apache-2.0
#include "providers/linux/kinds/interface/foreign_entries.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <string_view>

#include "engine/base/text.hpp"
#include "engine/model/resource_keys.hpp"
#include "providers/linux/kinds/interface/backends/backend_table.hpp"
#include "providers/linux/kinds/interface/backends/networkd_match.hpp"
#include "providers/linux/kinds/interface/live_claims.hpp"
#include "providers/linux/kinds/interface/statements/file_statement.hpp"
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

// Files for a class of interfaces are among them.
std::vector<ForeignEntry> entries_about(
    const LinkTarget& target,
    const std::vector<const NetworkBackend*>& judges,
    const FileTexts& files) {
  std::vector<ForeignEntry> entries;
  for (const NetworkBackend* backend : judges) {
    for (ForeignEntry& each : backend->foreign(target, files))
      entries.push_back(std::move(each));
    if (backend->name() != "networkd" || target.kind != LinkKind::port) continue;
    for (const auto& [name, path] : in_order(files, ".network"))
      if (const MatchVerdict verdict = judge_match(target, files.at(*path)); verdict.matches)
        entries.push_back({*path, verdict.line});
  }
  return entries;
}

// Those whose files a program of the node reads, and the formats of these files.
struct Readers {
  std::vector<const NetworkBackend*> backends;
  std::set<std::string_view> formats;

  Readers(const LinkTarget& port, const NodeFacts& facts) {
    for (const BackendRow& row : providers::backends()) {
      if (has_signs(facts) && !row.lacks(signs_of(facts)).empty()) continue;
      backends.push_back(&row.files());
      formats.insert(statement_kind(backends.back()->paths(port).front()));
    }
  }

  // What is made anew at a boot follows its source; .link files are asked by other_link_files().
  bool read(std::string_view path, std::string_view content) const {
    const bool is_left = path.starts_with("/run/") || path.ends_with(".link");
    return !is_owned(content) && !is_left &&
           (path.starts_with("/etc/frr/") || formats.contains(statement_kind(path)));
  }
};

// A text for people, which selects nothing.
bool is_label(std::string_view line) {
  constexpr std::string_view kLabels[] = {"#", ";", "id=", "NAME=", "Description=", "description "};
  return line.empty() || std::any_of(std::begin(kLabels), std::end(kLabels), [line](auto label) {
           return line.starts_with(label);
         });
}

}  // namespace

std::vector<ForeignLine> lines_with_former_name(
    const LinkTarget& port,
    const std::string& name,
    const NetworkBackend* judge,
    const NodeFacts& facts) {
  const FileTexts& files = network_files(facts);
  const Readers readers{port, facts};
  LinkTarget other = port;
  other.name = judge == nullptr ? name : port.bond;
  if (judge != nullptr) other.kind = LinkKind::bond;
  const std::vector<const NetworkBackend*> judges =
      judge == nullptr ? readers.backends : std::vector{judge};
  const std::vector<ForeignEntry> own = entries_about(port, judges, files);
  const std::vector<ForeignEntry> others =
      other.name.empty() ? std::vector<ForeignEntry>{} : entries_about(other, judges, files);
  std::vector<ForeignLine> lines;
  for (const auto& file : files) {
    if (!readers.read(file.first, file.second)) continue;
    std::size_t number = 0;
    const auto is_in = [&](const ForeignEntry& each) {
      return each.has(file.first, number);
    };
    const auto begins = [&](const ForeignEntry& each) {
      return is_in(each) && each.line == number;
    };
    for (const std::string_view raw : split_lines(file.second)) {
      ++number;
      const std::string_view line = trim(raw);
      const bool is_own = std::any_of(own.begin(), own.end(), is_in);
      const bool is_other = std::any_of(others.begin(), others.end(), is_in);
      // Without a judge: a section that selects the port by other means than its name means it
      // still.
      if (judge == nullptr ? is_own && is_other : is_own || is_other) continue;
      // What brings up interfaces that have a section needs none.
      if (judge != nullptr && (line.starts_with("auto ") || line.starts_with("allow-"))) continue;
      // A section may have a pattern, or its file the name.
      const bool selects = std::any_of(own.begin(), own.end(), begins);
      if (selects || (!is_label(line) && has_word(line, port.name, "_-")))
        lines.push_back({file.first, number, std::string{line}});
    }
  }
  return lines;
}

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
  std::vector<ForeignEntry> entries;
  if (!link.takes_name) entries = backend.foreign(target, files);
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
