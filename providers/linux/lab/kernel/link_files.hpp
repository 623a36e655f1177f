// SPDX-License-Identifier: Apache-2.0
// Files of systemd's network folders, and udev's among them: .link files, which name and size an
// interface as it appears.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "providers/linux/lab/host/linux_host.hpp"

namespace fabric::lab {

// In rising importance.
inline constexpr std::string_view kNetworkUnitFolders[] = {
    "/usr/lib/systemd/network", "/run/systemd/network", "/etc/systemd/network"};

// Name to path of the files with that suffix; a file in /etc hides one of the same name in /run,
// that one in /usr/lib.
std::map<std::string, std::string> network_unit_files(
    const LinuxHost& machine, std::string_view suffix);

// A [Match] section: "Name" to patterns.
using InterfaceMatch = std::map<std::string, std::vector<std::string>>;
void add_match(InterfaceMatch& match, const std::string& key, const std::string& value);
// Without any condition nothing matches.
bool networkd_matches(
    const LinuxHost& machine, const Interface& interface, const InterfaceMatch& match);
// "9000", "9K"
std::optional<std::uint32_t> parse_bytes(std::string_view text);

// What udev's files say of a new interface.
struct LinkSettings {
  std::string name;  // "" = keep
  std::optional<std::uint32_t> mtu;
};
LinkSettings link_settings(const LinuxHost& machine, const Interface& interface);

// As networkctl shows it: "ether", "bond", "vlan", "infiniband", "loopback".
std::string_view networkd_type(const Interface& interface);
std::string driver_of(const LinuxHost& machine, const Interface& interface);
// "pci-0000:01:00.0"
std::string udev_path(const LinuxHost& machine, const Interface& interface);

}  // namespace fabric::lab
