// SPDX-License-Identifier: Apache-2.0
// Files of systemd's network folders, and udev's .link files among them, which name an interface
// and set its MTU as it appears.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "providers/linux/lab/host/linux_host.hpp"

namespace fabric::lab {

// In order of rising precedence.
inline constexpr std::string_view kNetworkUnitFolders[] = {
    "/usr/lib/systemd/network", "/run/systemd/network", "/etc/systemd/network"};

// From name to path of the files with that suffix; a file in /etc hides one of the same name in
// /run, and that one in /usr/lib.
std::map<std::string, std::string> network_unit_files(
    const LinuxHost& machine, std::string_view suffix);

// A [Match] section: from "Name" to its patterns.
using InterfaceMatch = std::map<std::string, std::vector<std::string>>;
void add_match(InterfaceMatch& match, const std::string& key, const std::string& value);
// False without any condition.
bool networkd_matches(
    const LinuxHost& machine, const Interface& interface, const InterfaceMatch& match);
// "9000", "9K"
std::optional<std::uint32_t> parse_bytes(std::string_view text);

// The settings of udev's files for a new interface.
struct LinkSettings {
  std::string name;  // "" = keep
  std::optional<std::uint32_t> mtu;
};
LinkSettings link_settings(const LinuxHost& machine, const Interface& interface);

// The type that networkctl prints: "ether", "bond", "vlan", "infiniband", "loopback".
std::string_view networkd_type(const Interface& interface);
std::string driver_of(const LinuxHost& machine, const Interface& interface);
// "pci-0000:01:00.0"
std::string udev_path(const LinuxHost& machine, const Interface& interface);

}  // namespace fabric::lab
