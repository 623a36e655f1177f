// SPDX-License-Identifier: Apache-2.0
// ifupdown2 (3.0.0 of Debian 12, what Proxmox runs), where it is not as ifupdown: it remembers what
// it brought up until the next boot, takes down by that and not by the files, knows nothing of what
// it never brought up, and brings up again by making what runs what the files say. Seen on
// Debian 12.
#pragma once

#include <string>
#include <vector>

#include "providers/linux/lab/network/ifupdown.hpp"

namespace fabric::lab {

bool is_ifupdown2(Process& process);

// What it brought `name` up with; none if it never did since the boot.
std::vector<IfupdownStanza> remembered(const FileTree& files, const std::string& name);
// No stanzas: nothing of it any more.
void remember(
    LinuxHost& machine, const std::string& name, const std::vector<IfupdownStanza>& stanzas);

// Before an interface that may be up already is brought up: what the files don't say any more goes.
void make_way(LinuxHost& machine, const std::vector<IfupdownStanza>& stanzas);

// Its default routes over `device`, just made, are told as it makes them.
void claim_default_routes(LinuxHost& machine, const std::string& device);

// Says so as it does. Returns its exit status.
int cannot_find(Process& process, const std::string& name, bool is_up);

}  // namespace fabric::lab
