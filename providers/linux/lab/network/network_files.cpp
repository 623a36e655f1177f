// SPDX-License-Identifier: Apache-2.0
#include "providers/linux/lab/network/network_files.hpp"

#include <algorithm>
#include <string_view>

#include <fmt/format.h>

#include "engine/base/text.hpp"
#include "engine/lab/machine/partitions.hpp"
#include "engine/value/digest.hpp"
#include "providers/linux/lab/host/ini_file.hpp"
#include "providers/linux/lab/kernel/ipoib.hpp"

namespace fabric::lab {

std::string network_files_digest(const LinuxHost& machine) {
  const FileTree& files = machine.state.files;
  std::string all;
  const auto add = [&](const std::string& path) {
    std::string content;
    if (files.read(path, "root", content) == FileError::none) all += path + "\n" + content + "\n";
  };
  add("/etc/network/interfaces");
  for (const std::string_view folder :
       {"/etc/network/interfaces.d",
        "/etc/sysconfig/network-scripts",
        "/etc/systemd/network",
        "/etc/netplan",
        "/etc/NetworkManager/system-connections"}) {
    for (const std::string& name : files.list(folder)) {
      // udev's .link files only name a port, and only a boot applies them.
      if (!name.ends_with(".link")) add(std::string{folder} + "/" + name);
    }
  }
  return sha256(std::string_view{all});
}

void note_network_in_force(LinuxHost& machine) {
  machine.state.network_in_force = network_files_digest(machine);
}

namespace {

constexpr std::uint32_t kOthers = 077;
constexpr std::uint32_t kMostPrefix = 128;

std::uint32_t number_of(std::string_view text) {
  return static_cast<std::uint32_t>(parse_unsigned(text, 10).value_or(0));
}

bool is_true(std::string_view text) {
  return text == "true" || text == "1" || text == "yes";
}

std::vector<std::string> list_of(std::string_view text) {
  std::vector<std::string> words;
  for (const std::string_view word : split(text, ';')) {
    if (!trim(word).empty()) words.emplace_back(trim(word));
  }
  return words;
}

bool is_numbered(std::string_view key, std::string_view stem) {
  return key.starts_with(stem) && parse_unsigned(key.substr(stem.size()), 10).has_value();
}

// "src=10.30.0.1,table=4501", of the route of the same number, which stands before.
void read_options(ProfileRoute& route, std::string_view text) {
  for (const std::string_view option : split(text, ',')) {
    const std::size_t equals = option.find('=');
    if (equals == std::string_view::npos) continue;
    const std::string_view key = option.substr(0, equals);
    const std::string_view value = option.substr(equals + 1);
    if (key == "src") route.source = value;
    if (key == "table") route.table = number_of(value);
  }
}

// "priority 4501 from 10.30.0.1 table 4501", as ip takes it.
bool read_rule(ConnectionProfile& profile, std::string_view text) {
  const std::vector<std::string_view> words = split_words(text);
  ProfileRule rule;
  bool has_priority = false;
  for (std::size_t i = 0; i + 1 < words.size(); i += 2) {
    const std::string_view value = words[i + 1];
    if (words[i] == "priority") {
      rule.priority = number_of(value);
      has_priority = true;
    } else if (words[i] == "from") {
      rule.from = value == "all" || value == "0.0.0.0/0" ? "" : value;
    } else if (words[i] == "iif") {
      rule.incoming = value;
    } else if (words[i] == "table" || words[i] == "lookup") {
      rule.table = number_of(value);
    } else {
      return false;
    }
  }
  if (has_priority && words.size() % 2 == 0) profile.rules.push_back(std::move(rule));
  return has_priority && words.size() % 2 == 0;
}

bool is_method(std::string_view method, bool ipv6) {
  for (const char* known : {"auto", "manual", "disabled", "link-local", "shared"})
    if (method == known) return true;
  return ipv6 && (method == "ignore" || method == "dhcp");
}

bool read_ip(
    ConnectionProfile& profile, const std::string& key, const std::string& value, bool ipv6) {
  if (key == "method") {
    (ipv6 ? profile.method6 : profile.method4) = value;
    return is_method(value, ipv6);
  }
  if (key == "gateway") (ipv6 ? profile.gateway6 : profile.gateway) = value;
  if (is_numbered(key, "address")) {
    const std::vector<std::string_view> parts = split(value, ',');
    const std::optional<IpPrefix> address = IpPrefix::parse(parts[0]);
    if (!address || address->ipv6() != ipv6 || address->length() > kMostPrefix) return false;
    profile.addresses.push_back(*address);
    if (parts.size() > 1) (ipv6 ? profile.gateway6 : profile.gateway) = parts[1];
  }
  if (is_numbered(key, "route")) {
    const std::vector<std::string_view> parts = split(value, ',');
    if (!IpPrefix::parse(parts[0])) return false;
    ProfileRoute route{std::string{parts[0]}, "", "", std::nullopt, 0};
    if (parts.size() > 1 && parts[1] != "0.0.0.0" && parts[1] != "::") route.via = parts[1];
    if (parts.size() > 2) route.metric = number_of(parts[2]);
    profile.routes.push_back(std::move(route));
  }
  if (key.starts_with("route") && key.ends_with("_options") && !profile.routes.empty())
    read_options(profile.routes.back(), value);
  if (is_numbered(key, "routing-rule")) return read_rule(profile, value);
  return true;
}

bool read_connection(ConnectionProfile& profile, const std::string& key, const std::string& value) {
  if (key == "id") profile.id = value;
  if (key == "uuid") profile.uuid = value;
  if (key == "type") profile.type = value == "802-3-ethernet" ? "ethernet" : value;
  if (key == "interface-name") profile.interface = value;
  if (key == "master" || key == "controller") profile.master = value;
  if (key == "slave-type" || key == "port-type") profile.master_type = value;
  if (key == "autoconnect") profile.automatic = is_true(value);
  if (key == "autoconnect-priority") profile.priority = parse_integer(value).value_or(0);
  if (key == "autoconnect-slaves" || key == "autoconnect-ports")
    profile.brings_ports = is_true(value);
  return true;
}

// False: it is no profile.
bool read_key(
    ConnectionProfile& profile,
    const std::string& section,
    const std::string& key,
    const std::string& value) {
  if (section == "connection") return read_connection(profile, key, value);
  if (section == "ipv4" || section == "ipv6")
    return read_ip(profile, key, value, section == "ipv6");
  if (section == "match") {
    if (key == "interface-name") profile.match_names = list_of(value);
    if (key == "driver") profile.match_drivers = list_of(value);
    if (key == "path") profile.match_paths = list_of(value);
  }
  const bool ethernet = section == "ethernet" || section == "802-3-ethernet";
  if ((ethernet || section == "infiniband") && key == "mtu" && value != "0")
    profile.mtu = number_of(value);
  if ((ethernet || section == "infiniband") && key == "mac-address") profile.mac = to_lower(value);
  if (section == "infiniband" && key == "transport-mode") {
    profile.transport_mode = value;
    return value == "datagram" || value == "connected";
  }
  if (section == "bond") profile.bond.emplace_back(key, value);
  if (section == "vlan" && key == "id") profile.vlan_id = number_of(value);
  if (section == "infiniband" && key == "p-key" && value != "-1") {
    const auto parsed = parse_p_key(value);
    profile.p_key = parsed.value_or(0) | kFullMember;
    return parsed.has_value() && !value.starts_with("0x");
  }
  if ((section == "vlan" || section == "infiniband") && key == "parent") profile.parent = value;
  return true;
}

std::optional<ConnectionProfile> read_keyfile(const std::string& path, const std::string& text) {
  ConnectionProfile profile;
  profile.path = path;
  for (const IniSection& section : parse_ini(text)) {
    for (const auto& [key, value] : section.keys) {
      if (!read_key(profile, section.name, key, value)) return std::nullopt;
    }
  }
  if (profile.id.empty() || profile.type.empty()) return std::nullopt;
  if (profile.uuid.empty()) profile.uuid = path;
  if (profile.type == "infiniband" && profile.transport_mode.empty()) return std::nullopt;
  if (profile.p_key != 0) {
    const std::string name = fmt::format("{}.{:04x}", profile.parent, profile.p_key);
    if (profile.interface.empty()) profile.interface = name;
    if (profile.parent.empty() || profile.interface != name) return std::nullopt;
  }
  if (profile.is_virtual() && profile.type != "vlan" && profile.interface.empty())
    return std::nullopt;
  if (profile.type == "vlan" && (profile.parent.empty() || profile.vlan_id == 0))
    return std::nullopt;
  if (profile.type == "vlan" && profile.interface.empty())
    profile.interface = fmt::format("{}.{}", profile.parent, profile.vlan_id);
  const bool has_ipv4 =
      std::ranges::any_of(profile.addresses, [](const IpPrefix& each) { return !each.ipv6(); });
  if (profile.method4 == "manual" && !has_ipv4) return std::nullopt;
  if (!profile.master.empty() && profile.master_type.empty()) return std::nullopt;
  return profile;
}

}  // namespace

std::vector<ConnectionProfile> read_keyfiles(const FileTree& files) {
  std::vector<ConnectionProfile> profiles;
  for (const std::string& name : files.list(kKeyfiles)) {
    const std::string path = fmt::format("{}/{}", kKeyfiles, name);
    const Inode* inode = files.find(path);
    const bool hidden = name.front() == '.' || name.ends_with('~');
    if (hidden || inode == nullptr || inode->kind != FileKind::regular) continue;
    if ((inode->mode & kOthers) != 0 || inode->owner != "root") continue;
    if (auto profile = read_keyfile(path, inode->content)) profiles.push_back(*std::move(profile));
  }
  return profiles;
}

}  // namespace fabric::lab
