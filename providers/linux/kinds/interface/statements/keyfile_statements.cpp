// SPDX-License-Identifier: Apache-2.0
// nm-settings-keyfile(5).
#include <fmt/format.h>

#include "engine/base/text.hpp"
#include "engine/platform/owned_file.hpp"
#include "providers/linux/kinds/interface/backends/keyfile_profile.hpp"
#include "providers/linux/kinds/interface/statements/file_statement.hpp"
#include "providers/linux/parsers/ini_file.hpp"

namespace fabric::providers {

namespace {

Meaning if_bond(const std::string& value) {
  return value == "bond" ? Meaning{value} : std::nullopt;
}

// Static addresses are given, or there are none.
Meaning without_server(const std::string& value) {
  return value == "manual" || value == "disabled" || value == "ignore" ? Meaning{value}
                                                                       : std::nullopt;
}

Meaning decimal_pkey(const std::string& value) {
  const auto key = parse_integer(value);
  return key ? Meaning{fmt::format("{}", *key & kPkeyIdentity)} : std::nullopt;
}

constexpr std::string_view kIdle =
    "connection.id connection.uuid connection.type connection.interface-name "
    "connection.timestamp match.interface-name match.path match.driver ethernet.mac-address "
    "infiniband.mac-address vlan.interface-name";

constexpr FileWord kWords[] = {
    {"connection.autoconnect", said::kNothing, if_yes},
    {"connection.master", said::kMaster, as_written},
    {"connection.controller", said::kMaster, as_written},
    {"connection.slave-type", said::kNothing, if_bond},
    {"connection.port-type", said::kNothing, if_bond},
    {"ethernet.mtu", said::kMtu, as_written},
    {"infiniband.mtu", said::kMtu, as_written},
    {"infiniband.transport-mode", "ipoib_mode", as_written},
    {"infiniband.p-key", "pkey", decimal_pkey},
    {"infiniband.parent", "parent", as_written},
    {"vlan.id", "id", as_written},
    {"vlan.parent", "parent", as_written},
    {"sriov.total-vfs", said::kFunctions, as_written},
    {"ipv4.method", said::kNothing, without_server},
    {"ipv6.method", said::kNothing, without_server},
    {"ipv4.gateway", said::kGateway, as_written},
    {"ipv6.gateway", said::kGateway, as_written},
};

bool is_numbered(std::string_view key, std::string_view stem) {
  return key.starts_with(stem) && parse_integer(key.substr(stem.size())).has_value();
}

// "802-3-ethernet" of older releases.
std::string_view section_of(std::string_view section) {
  return section == "802-3-ethernet" ? "ethernet" : section;
}

bool has_no_addresses(const std::vector<IniEntry>& entries, std::string_view section) {
  for (const IniEntry& entry : entries) {
    const bool off = entry.value == "disabled" || entry.value == "ignore";
    if (entry.section == section && entry.key == "method") return off;
  }
  return false;
}

// "10.99.0.1/24,10.99.0.254", and older "10.99.0.1;24;10.99.0.254;", where 0.0.0.0 is no gateway.
std::vector<std::string> parts_of(std::string_view value) {
  std::vector<std::string> parts;
  for (const std::string_view part : split(value, value.find(',') == std::string::npos ? ';' : ','))
    parts.emplace_back(trim(part));
  while (parts.size() > 1 && (parts.back().empty() || parts.back() == "0.0.0.0"))
    parts.pop_back();
  if (parts.size() > 1 && parse_integer(parts[1]) && parts[0].find('/') == std::string::npos) {
    parts[0] += "/" + parts[1];
    parts.erase(parts.begin() + 1);
  }
  return parts;
}

// "address1=10.99.0.1/24,10.99.0.254", "route1=10.9.0.0/16,10.99.0.254,100"
void understand_numbered(
    std::vector<FileStatement>& all, const IniEntry& entry, const FileStatement& statement) {
  const std::vector<std::string> parts = parts_of(entry.value);
  FileStatement first = statement;
  if (is_numbered(entry.key, "address")) {
    first.attribute = said::kAddress;
    first.meaning = parts[0];
    all.push_back(first);
    if (parts.size() < 2) return;
    first.attribute = said::kGateway;
    first.meaning = parts[1];
  } else if (is_numbered(entry.key, "route") && parts.size() == 2) {
    say_route(first, parts[0], parts[1]);
  }
  all.push_back(std::move(first));
}

// Other profiles by UUID: of a bond or parent its interface; of VLANs on it their numbers, for what
// is taken over has another UUID, and they would refer to nothing.
void resolve(FileStatement& statement, const std::vector<KeyfileProfile>& profiles) {
  const bool refers = statement.attribute == said::kMaster || statement.attribute == "parent";
  if (!refers && statement.key != "connection.uuid") return;
  std::string children;
  for (const KeyfileProfile& other : profiles) {
    if (refers && other.uuid == statement.value && !other.interface.empty())
      statement.meaning = other.interface;
    if (other.parent == statement.value && !other.vlan.empty()) children += other.vlan + " ";
  }
  if (refers || children.empty()) return;
  statement.attribute = said::kChildren;
  statement.meaning = std::move(children);
}

}  // namespace

std::vector<FileStatement> keyfile_statements(const ForeignEntry& entry, const FileTexts& files) {
  const std::string_view content = files.at(entry.path);
  std::vector<FileStatement> all;
  std::vector<KeyfileProfile> profiles;
  for (const auto& [path, text] : files)
    if (statement_kind(path) == "keyfile" && !is_owned(text))
      profiles.push_back(keyfile_profile(text));
  const std::vector<IniEntry> entries = ini_entries(content, IniDialect::keyfile);
  for (const IniEntry& each : entries) {
    FileStatement statement{
        entry.path,
        each.line,
        fmt::format("{}.{}", section_of(each.section), each.key),
        each.value};
    const bool ip = each.section == "ipv4" || each.section == "ipv6";
    // The mode of making addresses, on an interface without any.
    const bool idle = each.key == "addr-gen-mode" && has_no_addresses(entries, each.section);
    if (if_empty(each.value) || idle) statement.attribute = said::kNothing;
    understand(statement, kWords, kIdle);
    understand_bond(statement, "bond.");
    resolve(statement, profiles);
    if (ip && statement.attribute == said::kUnknown) {
      understand_numbered(all, each, statement);
    } else {
      all.push_back(std::move(statement));
    }
  }
  // A route and its options are several lines with one meaning.
  for (FileStatement& each : all) {
    const std::size_t options = each.key.rfind("_options");
    if (options == std::string::npos) continue;
    for (FileStatement& route : all) {
      if (route.key != each.key.substr(0, options)) continue;
      route.attribute = said::kUnknown;
      route.context = each.value;
      each.context = route.value;
    }
  }
  return all;
}

}  // namespace fabric::providers
