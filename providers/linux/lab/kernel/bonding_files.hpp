// SPDX-License-Identifier: Apache-2.0
// /proc/net/bonding, /proc/net/vlan and the files of bonds in /sys.
#pragma once

#include <string>

#include "engine/lab/machine/network.hpp"
#include "providers/linux/lab/host/linux_host.hpp"

namespace fabric::lab {

std::string proc_bonding_text(
    const Network& network, const LinuxHost& machine, const Interface& bond);
void install_proc_of_links(LinuxHost& machine, const Network& network);
// `folder`: the interface's folder below /sys/devices.
void install_bond_files(
    LinuxHost& machine, const Network& network, const Interface& bond, const std::string& folder);
void install_slave_files(
    LinuxHost& machine, const Network& network, const Interface& slave, const std::string& folder);
void install_bonding_masters(LinuxHost& machine, const Network& network);

}  // namespace fabric::lab
