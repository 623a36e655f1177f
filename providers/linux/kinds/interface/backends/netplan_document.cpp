// SPDX-License-Identifier: Apache-2.0
#include "providers/linux/kinds/interface/backends/netplan_document.hpp"

#include <algorithm>
#include <array>
#include <set>

#include <fmt/format.h>

#include "engine/base/limits.hpp"
#include "engine/base/text.hpp"
#include "engine/platform/owned_file.hpp"
#include "engine/yaml/parse.hpp"
#include "providers/linux/kinds/interface/backends/spellings.hpp"

namespace fabric::providers {

namespace {

using Documents = std::vector<std::pair<std::string, NetplanDocument>>;

// Sections whose entries take other interfaces as members.
constexpr std::array kTakers{"bonds", "bridges", "vrfs"};

// The texts of a key that has one text or a list.
std::vector<std::string> texts_of(const yaml::Node& mapping, std::string_view key) {
  std::vector<std::string> texts = netplan_list(mapping, key);
  const std::string text = netplan_text(mapping, key);
  if (!text.empty()) texts.push_back(text);
  return texts;
}

// networkmanager: {passthrough: {connection.interface-name: "ens1"}}, flat or in levels.
std::string passed_through(const yaml::Node& entry, std::string_view key) {
  const yaml::Node* manager = entry.find("networkmanager");
  const yaml::Node* passed = manager == nullptr ? nullptr : manager->find("passthrough");
  if (passed == nullptr) return {};
  if (passed->find(key) != nullptr) return netplan_text(*passed, key);
  const std::size_t dot = key.find('.');
  const yaml::Node* section = passed->find(key.substr(0, dot));
  return section == nullptr ? std::string{} : netplan_text(*section, key.substr(dot + 1));
}

// Whether this entry of `ethernets` means fabric's interface and no other. An empty `match` means
// every interface; an unknown key may match.
Spelling means(const LinkTarget& target, const yaml::Entry& entry) {
  const yaml::Node* match = entry.value.find("match");
  if (!target.name.empty() && netplan_text(entry.value, "set-name") == target.name)
    return {true, true};
  if (match == nullptr) {
    const bool same = entry.key == target.name;
    return {same, same};
  }
  if (target.kind != LinkKind::port) return {};
  Spelling all{true, false};
  for (const yaml::Entry& key : match->entries) {
    const std::vector<std::string> texts = texts_of(*match, key.key);
    Spelling each{true, false};
    if (key.key == "name") {
      each = target.name.empty() ? Spelling{} : netplan_globs(texts, target.name);
    } else if (key.key == "driver") {
      each = netplan_globs(texts, driver_of(target));
      each.alone = false;
    } else if (key.key == "macaddress") {
      const bool same = !texts.empty() && is_address_of(texts.front(), target);
      each = {same, same};
    }
    all = {all.fits && each.fits, all.alone || each.alone};
  }
  // An entry that NetworkManager has written through netplan matches everything, and names its
  // interface here.
  const std::string passed = passed_through(entry.value, "connection.interface-name");
  if (!passed.empty()) all = {passed == target.name, passed == target.name};
  return all;
}

bool is_false(const std::string& written) {
  const std::string text = to_lower(written);
  return text == "false" || text == "no" || text == "off" || text == "n";
}

// True for an entry that selects an interface and configures nothing.
bool says_nothing(const yaml::Entry& entry) {
  return std::ranges::all_of(entry.value.entries, [](const yaml::Entry& each) {
    const bool no_dhcp = (each.key == "dhcp4" || each.key == "dhcp6") && is_false(each.value.text);
    return no_dhcp || each.key == "match" || each.key == "set-name" || each.key == "optional" ||
           each.key == "id" || each.key == "link";
  });
}

// A bond, a bridge or a VLAN, of any author, that is built on it.
bool is_referred_to(const Documents& documents, const std::string& id) {
  for (const auto& [path, document] : documents) {
    for (const char* section : kTakers) {
      for (const yaml::Entry& entry : document.entries(section)) {
        const std::vector<std::string> below = netplan_list(entry.value, "interfaces");
        if (std::find(below.begin(), below.end(), id) != below.end()) return true;
      }
    }
    for (const yaml::Entry& entry : document.entries("vlans")) {
      if (netplan_text(entry.value, "link") == id) return true;
    }
  }
  return false;
}

// The entry with nothing but which interface it means.
std::string stub_of(const LinkTarget& target, const yaml::Entry& entry) {
  std::vector<std::string> keys;
  const auto put = [&keys](std::string_view key, const std::string& text) {
    if (!text.empty()) keys.push_back(fmt::format("{}: {}", key, text));
  };
  const auto quoted = [](const std::string& text) {
    return text.empty() ? text : "\"" + text + "\"";
  };
  if (target.kind == LinkKind::vlan) {
    put("id", netplan_text(entry.value, "id"));
    put("link", quoted(netplan_text(entry.value, "link")));
  }
  if (const yaml::Node* match = entry.value.find("match"); match != nullptr) {
    std::vector<std::string> matches;
    for (const yaml::Entry& each : match->entries)
      matches.push_back(fmt::format("{}: {}", each.key, quoted(each.value.text)));
    put("match", "{" + join(matches, ", ") + "}");
  }
  put("set-name", quoted(netplan_text(entry.value, "set-name")));
  return fmt::format("{}: {{{}}}", quoted(entry.key), join(keys, ", "));
}

ForeignEntry foreign_entry(
    const LinkTarget& target,
    const std::pair<std::string, NetplanDocument>& file,
    const yaml::Entry& entry,
    bool is_needed,
    bool alone) {
  const auto& [path, document] = file;
  ForeignEntry found{path, document.line(entry.key_range)};
  if (!alone) {
    found.not_adoptable = "the file configures other interfaces too";
    return found;
  }
  if (!is_needed && document.is_only(netplan_section(target))) return found;
  found.last_line = document.last_line(entry);
  if (found.last_line == 0) {
    found.not_adoptable = "it shares a line with other parts of the file";
  } else if (entry.key != target.name) {
    found.not_adoptable = fmt::format("it calls the interface '{}'", entry.key);
  } else {
    found.stub = document.indentation(entry) + stub_of(target, entry);
  }
  return found;
}

// A file in /etc hides those of its name in /run and /lib.
bool is_read(const std::string& path, const FileTexts& files) {
  constexpr std::string_view kFirst = "/etc/netplan/";
  if (path.find("/netplan/") == std::string::npos) return false;
  const std::string name = path.substr(path.rfind('/') + 1);
  return path.starts_with(kFirst) || !files.contains(std::string{kFirst} + name);
}

// A file about the port that netplan can read and this program can't, for example one with anchors:
// its content is unknown.
std::optional<ForeignEntry> unread_entry(
    const LinkTarget& target, const std::string& path, std::string_view content) {
  const auto says = [content](std::string_view text) {
    return !text.empty() && content.find(text) != std::string_view::npos;
  };
  const auto& mac = target.port == nullptr ? std::nullopt : target.port->permanent_mac;
  const bool by_class = target.kind == LinkKind::port && says("match:");
  if (!says(target.name) && !(mac && says(mac->str())) && !by_class) return std::nullopt;
  return ForeignEntry{path, 1, 0, "fabric can't read it, so its content is unknown"};
}

// A foreign bond or bridge that has the port as a member.
void add_takers(
    const LinkTarget& target,
    const std::string& path,
    const NetplanDocument& document,
    const std::set<std::string>& ids,
    std::vector<ForeignEntry>& entries) {
  for (const char* name : kTakers) {
    for (const yaml::Entry& entry : document.entries(name)) {
      // A bond of the document is adopted by the bond's own resource.
      if (std::string_view{name} == "bonds" && entry.key == target.bond) continue;
      const yaml::Node* ports = entry.value.find("interfaces");
      if (ports == nullptr) continue;
      for (const yaml::Node& port : ports->items) {
        if (!ids.contains(port.text)) continue;
        entries.push_back(
            {path,
             document.line(port.range),
             0,
             fmt::format("it belongs to {}, which fabric did not write", entry.key)});
      }
    }
  }
}

}  // namespace

const char* netplan_section(const LinkTarget& target) {
  if (target.kind == LinkKind::bond) return "bonds";
  return target.kind == LinkKind::vlan ? "vlans" : "ethernets";
}

std::string netplan_text(const yaml::Node& mapping, std::string_view key) {
  const yaml::Node* node = mapping.find(key);
  return node == nullptr || !node->is_scalar() ? std::string{} : node->text;
}

std::optional<std::int64_t> netplan_number(const yaml::Node& mapping, std::string_view key) {
  return parse_integer(netplan_text(mapping, key));
}

std::vector<std::string> netplan_list(const yaml::Node& mapping, std::string_view key) {
  const yaml::Node* node = mapping.find(key);
  std::vector<std::string> list;
  if (node == nullptr) return list;
  for (const yaml::Node& item : node->items)
    list.push_back(item.text);
  return list;
}

NetplanDocument::NetplanDocument(const std::string& path, std::string_view text) {
  file_ = sources_.add(path, std::string{text});
  Diagnostics diagnostics;
  root_ = yaml::parse(sources_, file_, diagnostics, limits::kNodeFileBytes);
  broken_ = diagnostics.has_errors();
}

const std::vector<yaml::Entry>& NetplanDocument::entries(std::string_view name) const {
  static const std::vector<yaml::Entry> none;
  const yaml::Node* found = section(name);
  return found == nullptr ? none : found->entries;
}

const yaml::Node* NetplanDocument::section(std::string_view name) const {
  const yaml::Node* network = root_.find("network");
  return network == nullptr ? nullptr : network->find(name);
}

bool NetplanDocument::is_only(std::string_view section) const {
  const yaml::Node* network = root_.find("network");
  if (network == nullptr || root_.entries.size() != 1) return false;
  return std::ranges::all_of(network->entries, [&](const yaml::Entry& each) {
    return each.key == "version" || (each.key == section && each.value.entries.size() == 1);
  });
}

std::size_t NetplanDocument::line(const SourceRange& range) const {
  return sources_.position(file_, range.begin).line;
}

std::string NetplanDocument::indentation(const yaml::Entry& entry) const {
  const std::string_view line =
      sources_.line(file_, sources_.position(file_, entry.key_range.begin).line);
  return std::string{line.substr(0, line.find_first_not_of(' '))};
}

std::size_t NetplanDocument::last_line(const yaml::Entry& entry) const {
  const std::vector<std::string_view> lines = split_lines(sources_.text(file_));
  const std::size_t first = line(entry.key_range);
  const std::string_view rest = trim(lines.at(first - 1));
  const bool begins_line = rest.starts_with(entry.key) || rest.starts_with("\"" + entry.key) ||
                           rest.starts_with("'" + entry.key);
  if (!begins_line) return 0;
  const std::size_t indent = indentation(entry).size();
  std::size_t last = first;
  for (std::size_t number = first + 1; number <= lines.size(); ++number) {
    const std::string_view line = lines[number - 1];
    const std::string_view words = trim(line);
    if (words.empty() || (words.starts_with("#") && words != kHiddenLine)) continue;
    if (line.find_first_not_of(' ') <= indent) break;
    last = number;
  }
  return last;
}

std::vector<ForeignEntry> netplan_foreign(const LinkTarget& target, const FileTexts& files) {
  std::vector<ForeignEntry> entries;
  Documents documents;
  for (const auto& [path, content] : files) {
    if (!is_read(path, files) || is_owned(content)) continue;
    documents.emplace_back(path, NetplanDocument{path, content});
    if (!documents.back().second.broken()) continue;
    if (auto unread = unread_entry(target, path, content)) entries.push_back(*std::move(unread));
    documents.pop_back();
  }
  const bool is_needed = is_referred_to(documents, target.name);
  // The names that bonds and bridges use for the port: an entry of `ethernets` has its own.
  std::set<std::string> ids{target.name};
  for (const auto& file : documents) {
    for (const yaml::Entry& entry : file.second.entries(netplan_section(target))) {
      const Spelling meant = means(target, entry);
      if (!meant.fits) continue;
      ids.insert(entry.key);
      if (!says_nothing(entry))
        entries.push_back(foreign_entry(target, file, entry, is_needed, meant.alone));
    }
  }
  for (const auto& [path, document] : documents) {
    if (target.kind == LinkKind::port) add_takers(target, path, document, ids, entries);
  }
  // Drop-ins of netplan's files for networkd have settings of the interface that netplan lacks.
  for (const auto& [path, content] : files) {
    const std::size_t at = path.find("/systemd/network/10-netplan-");
    if (at == std::string::npos || !path.ends_with(".conf") || is_owned(content)) continue;
    const std::string_view rest =
        std::string_view{path}.substr(at + std::string_view{"/systemd/network/10-netplan-"}.size());
    if (ids.contains(std::string{rest.substr(0, rest.find(".network.d/"))}))
      entries.push_back({path});
  }
  return entries;
}

}  // namespace fabric::providers
