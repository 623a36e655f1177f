// SPDX-License-Identifier: Apache-2.0
// RHEL's network scripts: ifcfg files by ifup, ifdown and the service `network`, as far as
// addresses, MTU, bonds and VLANs go. On a host of the lab they stand beside what is Debian's.
#pragma once

#include <string>

#include "providers/linux/lab/shell/process.hpp"

namespace fabric::lab {

inline constexpr std::string_view kNetworkScripts = "/etc/sysconfig/network-scripts";

// The exit status, after having said what was wrong. `name` is what follows "ifcfg-".
int script_up(Process& process, const std::string& name);
int script_down(Process& process, const std::string& name);
// `network start`: what has ONBOOT=yes, VLANs after what carries them; and `network stop`.
void start_network_scripts(Process& process);
void stop_network_scripts(Process& process);

}  // namespace fabric::lab
