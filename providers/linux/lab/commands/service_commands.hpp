// SPDX-License-Identifier: Apache-2.0
// What systemctl does with services that stay, and its list of units.
#pragma once

#include <string>
#include <vector>

#include "providers/linux/lab/shell/process.hpp"

namespace fabric::lab::commands {

// start, stop, restart ... of a unit that runs OpenSM. `unit` with its suffix.
int change_manager(Process& process, const std::string& verb, const std::string& unit);
// The package's opensm.service stops or starts: so do its instances, which are part of it.
// False: it is not active then.
bool change_managers(Process& process, bool stop, bool start);
// A pattern stands for the loaded units that it matches, be there any or none.
std::vector<std::string> units_meant(
    const LinuxHost& machine, const std::vector<std::string>& operands);
// `patterns` empty: all. Without `all` those that are active.
int list_units(Process& process, const std::vector<std::string>& patterns, bool all, bool legend);

}  // namespace fabric::lab::commands
