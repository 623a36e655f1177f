// SPDX-License-Identifier: Apache-2.0
// RHEL's network scripts: ifcfg files by ifup, ifdown and the service `network`, limited to
// addresses, MTU, bonds and VLANs. A host of the lab has them beside Debian's programs.
#pragma once

#include <string>

#include "providers/linux/lab/shell/process.hpp"

namespace fabric::lab {

inline constexpr std::string_view kNetworkScripts = "/etc/sysconfig/network-scripts";

// Prints errors. Returns the exit status. `name`: the part after "ifcfg-".
int script_up(Process& process, const std::string& name);
int script_down(Process& process, const std::string& name);
// `network start`: interfaces with ONBOOT=yes, VLANs after those below; and `network stop`.
void start_network_scripts(Process& process);
void stop_network_scripts(Process& process);

}  // namespace fabric::lab
