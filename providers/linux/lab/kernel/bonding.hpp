// SPDX-License-Identifier: Apache-2.0
// The bonding driver: options, slaves, and which slaves carry traffic, as in Linux 6.1
// (E-bonding-options, E-bonding-state).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "engine/lab/machine/network.hpp"
#include "providers/linux/lab/host/linux_host.hpp"

namespace fabric::lab {

// `option`: a name in sysfs; ip has other names for two of them. Returns "" on success, else the
// error that ip prints: the kernel refuses by state and by mode.
std::string set_bond_option(
    LinuxHost& machine, Interface& bond, std::string_view option, std::string_view value);
// The value as sysfs shows it: "active-backup 1", "100".
std::string bond_option(const LinuxHost& machine, const Interface& bond, std::string_view option);
// The name of the value only: "802.3ad", "layer3+4".
std::string bond_option_name(const Interface& bond, std::string_view option);
// The options in the order in which the kernel takes them from one message.
std::vector<std::string_view> bond_options();
// True if the option can have this name or number; false for options whose value is an interface.
bool is_bond_value(std::string_view option, std::string_view value);

// REQUIRES: the slave is down; it takes the bond's MAC and MTU and comes up.
std::string enslave(LinuxHost& machine, const Network& network, Interface& slave, Interface& bond);
// Takes the slave down and gives it its own MAC and former MTU. No effect if it is no slave.
void release(LinuxHost& machine, Interface& slave);
void release_all(LinuxHost& machine, Interface& bond);

// Every bond reads the state of its links, as every `miimon`, and chooses its active slave.
void settle_bonds(LinuxHost& machine, const Network& network);
const BondSlave* find_slave(const Interface& bond, std::uint32_t index);
bool has_active_slave(BondMode mode);
bool bond_carrier(const Network& network, const LinuxHost& machine, const Interface& bond);
// Interfaces of the slaves that send; and of those that receive packets for the bond.
std::vector<std::uint32_t> sending_slaves(
    const Network& network, const LinuxHost& machine, const Interface& bond);
bool receives(
    const Network& network, const LinuxHost& machine, const Interface& bond, std::uint32_t slave);

// The RoCE bond of a card: a bond of exactly its two ports, in a mode that the card supports. Null
// if there is none.
const Interface* roce_bond(const LinuxHost& machine, std::size_t card);

}  // namespace fabric::lab
