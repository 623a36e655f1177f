// SPDX-License-Identifier: Apache-2.0
// The differences of ifupdown2 (3.0.0 of Debian 12, used by Proxmox) to ifupdown: it remembers
// until the next boot what it brought up, takes down by this memory and not by the files, ignores
// interfaces that it never brought up, and brings an interface up again by changing what runs to
// what the files say. Seen on Debian 12.
#pragma once

#include <string>
#include <vector>

#include "providers/linux/lab/network/ifupdown.hpp"

namespace fabric::lab {

bool is_ifupdown2(Process& process);

// The stanzas by which `name` was brought up; none if it never was since the boot.
std::vector<IfupdownStanza> remembered(const FileTree& files, const std::string& name);
// No stanzas: forgets the interface.
void remember(
    LinuxHost& machine, const std::string& name, const std::vector<IfupdownStanza>& stanzas);

// Before an interface is brought up again: removes settings that the files no longer have.
void make_way(LinuxHost& machine, const std::vector<IfupdownStanza>& stanzas);

// Marks the default routes over `device`, just made, as made by ifupdown2.
void claim_default_routes(LinuxHost& machine, const std::string& device);

// Prints its error. Returns its exit status.
int cannot_find(Process& process, const std::string& name, bool is_up);

}  // namespace fabric::lab
