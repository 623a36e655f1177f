// SPDX-License-Identifier: Apache-2.0
// systemd-networkd, limited to addresses, MTU, bonds and VLANs.
#pragma once

#include <vector>

#include "engine/lab/machine/network.hpp"
#include "providers/linux/lab/host/linux_host.hpp"

namespace fabric::lab {

// The files as they are now, with their drop-ins, in order of precedence.
std::vector<NetworkFile> read_network_files(const LinuxHost& machine);
std::vector<NetdevFile> read_netdev_files(const LinuxHost& machine);
// The file for an interface, of those that networkd has read. Null: unmanaged.
const NetworkFile* network_file_for(const LinuxHost& machine, const Interface& interface);
// Configures the interface by its file, and makes the devices that stand on it.
void networkd_configure(LinuxHost& machine, const Network& network, std::uint32_t index);
// Start or reload: reads the files and makes the devices that are new; configures each interface
// that is new or whose file changed (all on start).
void networkd_start(LinuxHost& machine, const Network& network);
void networkd_reload(LinuxHost& machine, const Network& network);

}  // namespace fabric::lab
