// Files of systemd-networkd and of udev: .network, .netdev, .link, with their drop-ins.
#include <algorithm>

#include <fmt/format.h>

#include "engine/base/text.hpp"
#include "engine/lab/linux/network/networkd.hpp"
#include "engine/lab/linux/shell/pattern.hpp"

namespace fabric::lab {
namespace {

using Match = std::map<std::string, std::vector<std::string>>;

// In rising importance.
constexpr std::string_view kFolders[] = {
    "/usr/lib/systemd/network", "/run/systemd/network", "/etc/systemd/network"};

// Name to path; a file in /etc hides one of the same name in /run, that one in /usr/lib.
std::map<std::string, std::string> unit_files(const Machine& machine, std::string_view suffix) {
  std::map<std::string, std::string> files;
  for (const std::string_view folder : kFolders) {
    for (const std::string& name : machine.state.files.list(folder)) {
      const bool fits = name.size() > suffix.size() && name.front() != '.' &&
                        name.compare(name.size() - suffix.size(), suffix.size(), suffix) == 0;
      if (fits) files[name] = std::string{folder} + "/" + name;
    }
  }
  return files;
}

bool any_matches(const std::vector<std::string>& patterns, const std::string& text) {
  bool positive = false;
  bool matched = false;
  for (const std::string& pattern : patterns) {
    const bool negated = !pattern.empty() && pattern.front() == '!';
    if (negated && shell::matches(pattern.substr(1), text)) return false;
    positive = positive || !negated;
    matched = matched || (!negated && shell::matches(pattern, text));
  }
  return matched || !positive;
}

bool any_equals(const std::vector<std::string>& macs, const std::string& mac) {
  return std::any_of(macs.begin(), macs.end(), [&](const std::string& candidate) {
    std::string normal = to_lower(candidate);
    std::replace(normal.begin(), normal.end(), '-', ':');
    return normal == mac;
  });
}

std::string driver_of(const Machine& machine, const Interface& interface) {
  if (interface.bond) return "bonding";
  if (interface.vlan) return "802.1Q VLAN Support";
  return interface.card ? machine.state.cards[*interface.card].hardware.driver : "igb";
}

bool key_matches(
    const Machine& machine,
    const Interface& interface,
    const std::string& key,
    const std::vector<std::string>& values) {
  if (key == "Name" || key == "OriginalName") return any_matches(values, interface.name);
  if (key == "Path") return any_matches(values, udev_path(machine, interface));
  if (key == "MACAddress") return any_equals(values, interface.mac);
  if (key == "PermanentMACAddress") return any_equals(values, interface.permanent_mac);
  if (key == "Type") return any_matches(values, std::string{networkd_type(interface)});
  if (key == "Kind")
    return interface.is_virtual() && any_matches(values, interface.bond ? "bond" : "vlan");
  if (key == "Driver") return any_matches(values, driver_of(machine, interface));
  return false;
}

}  // namespace

bool networkd_matches(const Machine& machine, const Interface& interface, const Match& match) {
  if (match.empty()) return false;  // such a file is ignored
  return std::all_of(match.begin(), match.end(), [&](const auto& one) {
    return key_matches(machine, interface, one.first, one.second);
  });
}

namespace {

void add_match(Match& match, const std::string& key, const std::string& value) {
  for (const std::string_view word : split_words(value))
    match[key].emplace_back(word);
}

std::optional<std::uint32_t> parse_bytes(std::string_view text) {
  std::uint64_t factor = 1;
  if (!text.empty() && text.back() == 'K') {
    factor = 1024;
    text.remove_suffix(1);
  }
  const std::optional<std::uint64_t> value = parse_unsigned(text, 10);
  if (!value || *value > 1'000'000) return std::nullopt;
  return static_cast<std::uint32_t>(*value * factor);
}

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
    const Machine& machine, const std::string& name, const std::string& path) {
  std::map<std::string, std::string> drop_ins;
  for (const std::string_view folder : kFolders) {
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
  if (section == "Route" && key == "Destination") file.routes.emplace_back(value, "");
  if (section == "Route" && key == "Gateway" && !file.routes.empty() &&
      file.routes.back().second.empty()) {
    file.routes.back().second = value;
  } else if ((section == "Network" || section == "Route") && key == "Gateway") {
    file.gateway = value;
  }
  if (section != "Network") return;
  if (key == "Bond") file.bond = value;
  if (key == "PrimarySlave") file.primary_slave = is_true(value);
  if (key != "VLAN") return;
  for (const std::string_view name : split_words(value))
    file.vlans.emplace_back(name);
}

}  // namespace

std::vector<IniSection> parse_ini(std::string_view content) {
  std::vector<IniSection> sections;
  for (const std::string_view raw : split_lines(content)) {
    const std::string_view line = trim(raw);
    if (line.empty() || line.front() == '#' || line.front() == ';') continue;
    if (line.front() == '[' && line.back() == ']') {
      sections.push_back(IniSection{std::string{line.substr(1, line.size() - 2)}, {}});
      continue;
    }
    const std::size_t equals = line.find('=');
    if (equals == std::string_view::npos || sections.empty()) continue;
    sections.back().keys.emplace_back(trim(line.substr(0, equals)), trim(line.substr(equals + 1)));
  }
  return sections;
}

std::string udev_path(const Machine& machine, const Interface& interface) {
  if (interface.loopback || interface.is_virtual()) return "";
  if (!interface.card) return "pci-0000:00:1f.6";
  return "pci-" + machine.state.cards[*interface.card].function_of(interface.port);
}

LinkSettings link_settings(const Machine& machine, const Interface& interface) {
  for (const auto& [name, path] : unit_files(machine, ".link")) {
    std::string content;
    if (machine.state.files.read(path, "root", content) != FileError::none) continue;
    Match match;
    LinkSettings settings;
    for (const IniSection& section : parse_ini(content)) {
      for (const auto& [key, value] : section.keys) {
        if (section.name == "Match") add_match(match, key, value);
        if (section.name == "Link" && key == "Name") settings.name = value;
        if (section.name == "Link" && key == "MTUBytes") settings.mtu = parse_bytes(value);
      }
    }
    if (networkd_matches(machine, interface, match)) return settings;
  }
  return {};
}

std::vector<NetworkFile> read_network_files(const Machine& machine) {
  std::vector<NetworkFile> files;
  for (const auto& [name, path] : unit_files(machine, ".network")) {
    NetworkFile file;
    file.path = path;
    for (const IniSection& section : sections_of(machine, name, path)) {
      for (const auto& [key, value] : section.keys)
        read_key(file, section.name, key, value);
    }
    files.push_back(std::move(file));
  }
  return files;
}

std::vector<NetdevFile> read_netdev_files(const Machine& machine) {
  std::vector<NetdevFile> files;
  for (const auto& [name, path] : unit_files(machine, ".netdev")) {
    NetdevFile file;
    for (const IniSection& section : sections_of(machine, name, path)) {
      for (const auto& [key, value] : section.keys)
        read_netdev_key(file, section.name, key, value);
    }
    if (!file.name.empty()) files.push_back(std::move(file));
  }
  return files;
}

std::string_view networkd_type(const Interface& interface) {
  if (interface.loopback) return "loopback";
  if (interface.bond) return "bond";
  if (interface.vlan) return "vlan";
  return interface.infiniband ? "infiniband" : "ether";
}

}  // namespace fabric::lab
