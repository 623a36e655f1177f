// SPDX-License-Identifier: Apache-2.0
// Programs about links and the services that configure them.
#pragma once

#include "providers/linux/lab/shell/process.hpp"

namespace fabric::lab::commands {

// ip_command.cpp
int ip(Process& process);
// net_commands.cpp, ping_command.cpp
int ethtool(Process& process);
// ethtool_link.cpp: `-m` and `--show-fec`, with statistics if asked for.
int ethtool_module(Process& process, const Interface& interface);
int ethtool_fec(Process& process, const Interface& interface, bool statistics);
// qos_commands.cpp: the counters of flow control in `-S`.
int ethtool_statistics(Process& process, const Interface& interface);
int lldpcli(Process& process);
int netplan(Process& process);
int ping(Process& process);
// network_services.cpp
int networkctl(Process& process);
int ifup(Process& process);
int ifdown(Process& process);
int ifquery(Process& process);
int ifreload(Process& process);
// nmcli_command.cpp
int nmcli(Process& process);
// qos_commands.cpp
int dcb(Process& process);
int mlnx_qos(Process& process);
// flow_commands.cpp
int ib_send_bw(Process& process);
int iperf3(Process& process);

}  // namespace fabric::lab::commands
