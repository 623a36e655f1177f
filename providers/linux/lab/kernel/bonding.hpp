// SPDX-License-Identifier: Apache-2.0
// The bonding driver: options, slaves, and which of them carry traffic. By the
// rules of Linux 6.1 (E-bonding-options, E-bonding-state).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "engine/lab/machine/network.hpp"
#include "providers/linux/lab/host/linux_host.hpp"

namespace fabric::lab {

// By the names of sysfs, which are those of ip but for two. "" on success, else the line that ip
// says: the kernel refuses by state and by mode.
std::string set_bond_option(
    LinuxHost& machine, Interface& bond, std::string_view option, std::string_view value);
// As sysfs shows it: "active-backup 1", "100".
std::string bond_option(const LinuxHost& machine, const Interface& bond, std::string_view option);
// Names only: "802.3ad", "layer3+4".
std::string bond_option_name(const Interface& bond, std::string_view option);
// In the order in which the kernel takes them from one message.
std::vector<std::string_view> bond_options();
// A name or number that the option can have at all; of options whose value is an interface none is.
bool is_bond_value(std::string_view option, std::string_view value);

// A slave must be down; it takes the bond's MAC and MTU and comes up.
std::string enslave(LinuxHost& machine, const Network& network, Interface& slave, Interface& bond);
// Goes down with its own MAC and the MTU it had. Nothing happens to one that is no slave.
void release(LinuxHost& machine, Interface& slave);
void release_all(LinuxHost& machine, Interface& bond);

// Every bond looks at its links, as it does each `miimon`, and chooses its active slave.
void settle_bonds(LinuxHost& machine, const Network& network);
const BondSlave* find_slave(const Interface& bond, std::uint32_t index);
bool has_active_slave(BondMode mode);
bool bond_carrier(const Network& network, const LinuxHost& machine, const Interface& bond);
// Interfaces of the slaves that send, and of those that receive what is for the bond.
std::vector<std::uint32_t> sending_slaves(
    const Network& network, const LinuxHost& machine, const Interface& bond);
bool receives(
    const Network& network, const LinuxHost& machine, const Interface& bond, std::uint32_t slave);

// The RoCE bond of a card: both its ports, and nothing else, in one bond of a mode that the card
// does itself. Null if there is none.
const Interface* roce_bond(const LinuxHost& machine, std::size_t card);

}  // namespace fabric::lab
