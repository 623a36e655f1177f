// SPDX-License-Identifier: Apache-2.0
// Interfaces come and go: the work of the kernel and udev then, whatever program asked for it.
#pragma once

#include "engine/lab/machine/network.hpp"
#include "providers/linux/lab/host/linux_host.hpp"

namespace fabric::lab {

// Named and sized by udev's .link files, set by sysctl.d. The reference holds until the next one
// comes or goes.
Interface& add_interface(LinuxHost& machine, Interface interface);
// With the VLANs on it; a bond that has it lets it go, its own slaves are let go.
void remove_interface(LinuxHost& machine, std::uint32_t index);
void apply_all_sysctls(LinuxHost& machine, const std::string& only);

// "" on success, else the line that ip says. Makes /proc and /sys show it.
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
// An existing one gets the ports that it lacks. Ports that do not exist, or belong to another one,
// are left out.
std::string add_bridge(
    LinuxHost& machine,
    const Network& network,
    const std::string& name,
    const std::vector<std::string>& ports);
std::string delete_link(LinuxHost& machine, const Network& network, const std::string& name);
// `modprobe bonding` makes as many bonds as its parameter max_bonds says.
void make_bonds_of_module(LinuxHost& machine, const Network& network);
void remove_links_of_module(LinuxHost& machine, const Network& network, std::string_view module);

// /proc and /sys show the interfaces that there are now, and the bonds see their links.
void show_interfaces(LinuxHost& machine, const Network& network);

// The driver of a card starts (again): its interfaces are made anew.
void make_card_interfaces(LinuxHost& machine, std::size_t card);
void remove_card_interfaces(LinuxHost& machine, std::size_t card);

}  // namespace fabric::lab
