// systemd-networkd and udev's .link files, as far as addresses, MTU, names, bonds and VLANs go.
#pragma once

#include <string>
#include <vector>

#include "engine/lab/linux/host/machine.hpp"
#include "engine/lab/machine/network.hpp"

namespace fabric::lab {

// [Section] Key=value files: sections in order, each with its keys in order.
struct IniSection {
  std::string name;
  std::vector<std::pair<std::string, std::string>> keys;
};
std::vector<IniSection> parse_ini(std::string_view content);

// What udev's files say of a new interface.
struct LinkSettings {
  std::string name;  // "" = keep
  std::optional<std::uint32_t> mtu;
};
LinkSettings link_settings(const Machine& machine, const Interface& interface);

// The files as they are now, with their drop-ins, in the order that counts.
std::vector<NetworkFile> read_network_files(const Machine& machine);
std::vector<NetdevFile> read_netdev_files(const Machine& machine);
// Without any condition nothing matches.
bool networkd_matches(
    const Machine& machine,
    const Interface& interface,
    const std::map<std::string, std::vector<std::string>>& match);
// By the files networkd has read. Null: unmanaged.
const NetworkFile* network_file_for(const Machine& machine, const Interface& interface);
// Configures the interface as its file says; devices that stand on it are made.
void networkd_configure(Machine& machine, const Network& network, std::uint32_t index);
// Start or reload: reads the files and makes the devices that are new; configures each interface
// that is new or whose file changed (all on start).
void networkd_start(Machine& machine, const Network& network);
void networkd_reload(Machine& machine, const Network& network);

// As networkctl shows it: "ether", "bond", "vlan", "infiniband", "loopback".
std::string_view networkd_type(const Interface& interface);
// "pci-0000:01:00.0"
std::string udev_path(const Machine& machine, const Interface& interface);

}  // namespace fabric::lab
