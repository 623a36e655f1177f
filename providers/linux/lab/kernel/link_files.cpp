// SPDX-License-Identifier: Apache-2.0
#include "providers/linux/lab/kernel/link_files.hpp"

#include <algorithm>

#include "engine/base/text.hpp"
#include "providers/linux/lab/host/ini_file.hpp"
#include "providers/linux/lab/shell/pattern.hpp"

namespace fabric::lab {

std::map<std::string, std::string> network_unit_files(
    const LinuxHost& machine, std::string_view suffix) {
  std::map<std::string, std::string> files;
  for (const std::string_view folder : kNetworkUnitFolders) {
    for (const std::string& name : machine.state.files.list(folder)) {
      const bool fits = name.size() > suffix.size() && name.front() != '.' &&
                        name.compare(name.size() - suffix.size(), suffix.size(), suffix) == 0;
      if (fits) files[name] = std::string{folder} + "/" + name;
    }
  }
  return files;
}

namespace {

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

bool key_matches(
    const LinuxHost& machine,
    const Interface& interface,
    const std::string& key,
    const std::vector<std::string>& values) {
  if (key == "Name" || key == "OriginalName") return any_matches(values, interface.name);
  if (key == "Path") return any_matches(values, udev_path(machine, interface));
  if (key == "MACAddress") return any_equals(values, interface.mac);
  if (key == "PermanentMACAddress") return any_equals(values, interface.permanent_mac);
  if (key == "Type") return any_matches(values, std::string{networkd_type(interface)});
  if (key == "Kind")
    return interface.is_virtual() &&
           any_matches(values, interface.ipoib ? "ipoib" : std::string{networkd_type(interface)});
  if (key == "Driver") return any_matches(values, driver_of(machine, interface));
  return false;
}

}  // namespace

std::string driver_of(const LinuxHost& machine, const Interface& interface) {
  if (interface.bond) return "bonding";
  if (interface.bridge) return "bridge";
  if (interface.vlan) return "802.1Q VLAN Support";
  return interface.card ? machine.state.cards[*interface.card].hardware.driver : "igb";
}

bool networkd_matches(
    const LinuxHost& machine, const Interface& interface, const InterfaceMatch& match) {
  if (match.empty()) return false;  // such a file is ignored
  return std::all_of(match.begin(), match.end(), [&](const auto& one) {
    return key_matches(machine, interface, one.first, one.second);
  });
}

void add_match(InterfaceMatch& match, const std::string& key, const std::string& value) {
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

std::string udev_path(const LinuxHost& machine, const Interface& interface) {
  if (interface.loopback || interface.is_virtual()) return "";
  if (!interface.card) return "pci-0000:00:1f.6";
  return "pci-" + machine.state.cards[*interface.card].function_of(interface.port);
}

LinkSettings link_settings(const LinuxHost& machine, const Interface& interface) {
  for (const auto& [name, path] : network_unit_files(machine, ".link")) {
    std::string content;
    if (machine.state.files.read(path, "root", content) != FileError::none) continue;
    InterfaceMatch match;
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

std::string_view networkd_type(const Interface& interface) {
  if (interface.loopback) return "loopback";
  if (interface.bond) return "bond";
  if (interface.bridge) return "bridge";
  if (interface.vlan) return "vlan";
  return interface.infiniband ? "infiniband" : "ether";
}

}  // namespace fabric::lab
