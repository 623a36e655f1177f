// The programs that know of links and of the services that configure them.
#pragma once

#include "engine/lab/linux/shell/process.hpp"

namespace fabric::lab::commands {

// ip_command.cpp
int ip(Process& process);
// net_commands.cpp, ping_command.cpp
int ethtool(Process& process);
int lldpcli(Process& process);
int ping(Process& process);
// network_services.cpp
int networkctl(Process& process);
int udevadm(Process& process);
int ifup(Process& process);
int ifdown(Process& process);
int ifquery(Process& process);
int ifreload(Process& process);
// flow_commands.cpp
int ib_send_bw(Process& process);
int iperf3(Process& process);

}  // namespace fabric::lab::commands
