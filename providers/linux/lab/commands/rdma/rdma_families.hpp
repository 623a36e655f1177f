// SPDX-License-Identifier: Apache-2.0
// Programs about cards and subnets.
#pragma once

#include "providers/linux/lab/shell/process.hpp"

namespace fabric::lab::commands {

// rdma_commands.cpp
int ibstat(Process& process);
int rdma(Process& process);
// subnet_commands.cpp
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
// mst_commands.cpp; mstlink is the same program
int mlxlink(Process& process);

}  // namespace fabric::lab::commands
