// SPDX-License-Identifier: Apache-2.0
// Adds and removes interfaces, with the work of the kernel and udev, for any program.
#pragma once

#include "engine/lab/machine/network.hpp"
#include "providers/linux/lab/host/linux_host.hpp"

namespace fabric::lab {

// udev's .link files name it and set its MTU, sysctl.d its sysctls. The reference is valid until an
// interface is added or removed.
Interface& add_interface(LinuxHost& machine, Interface interface);
// Also removes the VLANs on it and its children; a slave leaves its bond, a bond releases its
// slaves.
void remove_interface(LinuxHost& machine, std::uint32_t index);
void apply_all_sysctls(LinuxHost& machine, const std::string& only);

// Returns "" on success, else the error that ip prints. Updates /proc and /sys.
std::string add_bond(
    LinuxHost& machine,
    const Network& network,
    const std::string& name,
    const std::vector<std::pair<std::string, std::string>>& options);
std::string add_vlan(
    LinuxHost& machine,
    const Network& network,
    std::uint32_t below,
    const std::string& name,
    std::uint32_t id);
// A child of IPoIB: joined by its P_Key once its port has that. `mac`: an address of its own, with
// which it never joins.
struct NewChild {
  std::uint16_t key = 0;
  bool by_create_child = false;
  std::string mac{};
};
std::string add_child(
    LinuxHost& machine,
    const Network& network,
    std::uint32_t parent,
    const std::string& name,
    const NewChild& child);
// What writing to /sys/class/net/PARENT/create_child and delete_child does.
FileError create_child(
    LinuxHost& machine, const Network& network, const std::string& parent, std::string_view key);
FileError delete_child(
    LinuxHost& machine, const Network& network, const std::string& parent, std::string_view key);
// Adds missing ports to an existing bridge. Ports that do not exist, or belong to another one, are
// skipped.
std::string add_bridge(
    LinuxHost& machine,
    const Network& network,
    const std::string& name,
    const std::vector<std::string>& ports);
std::string delete_link(LinuxHost& machine, const Network& network, const std::string& name);
// `modprobe bonding` makes as many bonds as its parameter max_bonds says.
void make_bonds_of_module(LinuxHost& machine, const Network& network);
void remove_links_of_module(LinuxHost& machine, const Network& network, std::string_view module);

// Updates /proc and /sys, and the bonds read their links.
void show_interfaces(LinuxHost& machine, const Network& network);

// Makes the interfaces of a card anew, as when its driver starts.
void make_card_interfaces(LinuxHost& machine, std::size_t card);
void remove_card_interfaces(LinuxHost& machine, std::size_t card);

}  // namespace fabric::lab
