// The programs that know of links, cards and services.
#pragma once

#include "engine/lab/linux/shell/process.hpp"

namespace fabric::lab::commands {

// ip_command.cpp
int ip(Process& process);
// net_commands.cpp, ping_command.cpp, sysctl_command.cpp
int ethtool(Process& process);
int lldpcli(Process& process);
int ping(Process& process);
int sysctl(Process& process);
// systemctl.cpp, network_services.cpp
int systemctl(Process& process);
int networkctl(Process& process);
int udevadm(Process& process);
int ifup(Process& process);
int ifdown(Process& process);
int ifquery(Process& process);
int ifreload(Process& process);
// flow_commands.cpp
int ib_send_bw(Process& process);
int iperf3(Process& process);
// rdma_commands.cpp
int ibstat(Process& process);
int rdma(Process& process);
// subnet_commands.cpp, ibnetdiscover.cpp
int ibnetdiscover(Process& process);
int opensm(Process& process);
int saquery(Process& process);
int sminfo(Process& process);
int lspci(Process& process);
// mstconfig.cpp, flint.cpp, mst_commands.cpp
int mstconfig(Process& process);
int mstflint(Process& process);
int mstfwreset(Process& process);
int mst(Process& process);

}  // namespace fabric::lab::commands
