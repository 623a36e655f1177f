// SPDX-License-Identifier: Apache-2.0
// Files of systemd-networkd: .network and .netdev, with their drop-ins.

#include <fmt/format.h>

#include "engine/base/text.hpp"
#include "providers/linux/lab/host/ini_file.hpp"
#include "providers/linux/lab/kernel/link_files.hpp"
#include "providers/linux/lab/network/networkd.hpp"

namespace fabric::lab {
namespace {

bool is_true(std::string_view value) {
  return value == "yes" || value == "true" || value == "1" || value == "on";
}

// "100ms", "2s" or seconds without a unit, to milliseconds.
std::string milliseconds(std::string_view text) {
  std::uint64_t factor = 1000;
  if (text.ends_with("ms")) {
    factor = 1;
    text.remove_suffix(2);
  } else if (text.ends_with("s")) {
    text.remove_suffix(1);
  }
  const std::optional<std::uint64_t> number = parse_unsigned(trim(text), 10);
  return number ? std::to_string(*number * factor) : "";
}

// networkd's key to the kernel's option.
constexpr std::pair<std::string_view, std::string_view> kBondKeys[] = {
    {"Mode", "mode"},
    {"MIIMonitorSec", "miimon"},
    {"UpDelaySec", "updelay"},
    {"DownDelaySec", "downdelay"},
    {"FailOverMACPolicy", "fail_over_mac"},
    {"TransmitHashPolicy", "xmit_hash_policy"},
    {"MinLinks", "min_links"},
    {"LACPTransmitRate", "lacp_rate"},
    {"AdSelect", "ad_select"},
};

void read_bond_key(NetdevFile& file, std::string_view key, const std::string& value) {
  for (const auto& [name, option] : kBondKeys) {
    if (key != name) continue;
    file.bond.emplace_back(option, name.ends_with("Sec") ? milliseconds(value) : value);
  }
}

void read_netdev_key(
    NetdevFile& file,
    const std::string& section,
    const std::string& key,
    const std::string& value) {
  if (section == "NetDev" && key == "Name") file.name = value;
  if (section == "NetDev" && key == "Kind") file.kind = value;
  if (section == "NetDev" && key == "MTUBytes") file.mtu = parse_bytes(value);
  if (section == "VLAN" && key == "Id")
    file.vlan_id = static_cast<std::uint32_t>(parse_unsigned(value, 10).value_or(0));
  if (section == "Bond") read_bond_key(file, key, value);
}

// A unit's own sections, then those of its drop-ins by their names; a drop-in in /etc hides one of
// the same name in /run.
std::vector<IniSection> sections_of(
    const LinuxHost& machine, const std::string& name, const std::string& path) {
  std::map<std::string, std::string> drop_ins;
  for (const std::string_view folder : kNetworkUnitFolders) {
    const std::string here = fmt::format("{}/{}.d", folder, name);
    for (const std::string& file : machine.state.files.list(here)) {
      if (file.ends_with(".conf") && file.front() != '.') drop_ins[file] = here + "/" + file;
    }
  }
  std::vector<std::string> paths{path};
  for (const auto& [file, where] : drop_ins)
    paths.push_back(where);
  std::vector<IniSection> sections;
  for (const std::string& each : paths) {
    std::string content;
    if (machine.state.files.read(each, "root", content) != FileError::none) continue;
    for (IniSection& section : parse_ini(content))
      sections.push_back(std::move(section));
  }
  return sections;
}

void add_address(NetworkFile& file, const std::string& text) {
  std::optional<IpPrefix> address = IpPrefix::parse(text);
  if (!address) return;
  // Without a length networkd takes the one of the old class.
  if (text.find('/') == std::string::npos && !address->ipv6()) address->set_length(24);
  file.addresses.push_back(*address);
}

std::uint32_t number_of(std::string_view value) {
  return static_cast<std::uint32_t>(parse_unsigned(value, 10).value_or(0));
}

void read_key(
    NetworkFile& file,
    const std::string& section,
    const std::string& key,
    const std::string& value) {
  if (section == "Match") return add_match(file.match, key, value);
  if (section == "Link") {
    if (key == "MTUBytes") file.mtu = parse_bytes(value);
    if (key == "Unmanaged") file.unmanaged = is_true(value);
    if (key == "ActivationPolicy")
      file.activate = value != "down" && value != "always-down" && value != "manual";
  }
  if ((section == "Network" || section == "Address") && key == "Address") add_address(file, value);
  if (section == "Route" && key == "Destination") file.routes.push_back({value, "", "", 0, 0, {}});
  if (section == "Route" && !file.routes.empty()) {
    NetworkFileRoute& route = file.routes.back();
    if (key == "Metric") route.metric = number_of(value);
    if (key == "Table") route.table = number_of(value);
    if (key == "PreferredSource") route.source = value;
    if (key == "MultiPathRoute") route.hops.push_back(value);
  }
  if (section == "RoutingPolicyRule") {
    RoutingRule& rule = file.rules.back();
    if (key == "IncomingInterface") rule.incoming = value;
    if (key == "From") rule.from = value;
    if (key == "Table") rule.table = number_of(value);
    if (key == "Priority") rule.priority = number_of(value);
  }
  if (section == "Route" && key == "Gateway" && !file.routes.empty() &&
      file.routes.back().via.empty()) {
    file.routes.back().via = value;
  } else if ((section == "Network" || section == "Route") && key == "Gateway") {
    file.gateway = value;
  }
  if (section != "Network") return;
  if (key == "Bond") file.bond = value;
  if (key == "Bridge") file.bridge = value;
  if (key == "PrimarySlave") file.primary_slave = is_true(value);
  if (key != "VLAN") return;
  for (const std::string_view name : split_words(value))
    file.vlans.emplace_back(name);
}

}  // namespace

std::vector<NetworkFile> read_network_files(const LinuxHost& machine) {
  std::vector<NetworkFile> files;
  for (const auto& [name, path] : network_unit_files(machine, ".network")) {
    NetworkFile file;
    file.path = path;
    for (const IniSection& section : sections_of(machine, name, path)) {
      if (section.name == "RoutingPolicyRule") file.rules.emplace_back();
      for (const auto& [key, value] : section.keys)
        read_key(file, section.name, key, value);
    }
    files.push_back(std::move(file));
  }
  return files;
}

std::vector<NetdevFile> read_netdev_files(const LinuxHost& machine) {
  std::vector<NetdevFile> files;
  for (const auto& [name, path] : network_unit_files(machine, ".netdev")) {
    NetdevFile file;
    for (const IniSection& section : sections_of(machine, name, path)) {
      for (const auto& [key, value] : section.keys)
        read_netdev_key(file, section.name, key, value);
    }
    if (!file.name.empty()) files.push_back(std::move(file));
  }
  return files;
}

}  // namespace fabric::lab
