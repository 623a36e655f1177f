// SPDX-License-Identifier: Apache-2.0
// The programs of a simulated ESXi host: applets of BusyBox, VMware's own, the vendor's tools.
#pragma once

#include "providers/linux/lab/shell/programs.hpp"

namespace fabric::lab {

const ProgramTable& esxi_programs();

namespace esxi {
int esxcli(Process& process);         // esxcli.cpp
int esxcfg_module(Process& process);  // esxi_programs.cpp
int mst(Process& process);
int vim_cmd(Process& process);
int auto_backup(Process& process);
int vmkload_mod(Process& process);
int ps(Process& process);
int kill(Process& process);
int vmkping(Process& process);  // esxcli_network.cpp
}  // namespace esxi

}  // namespace fabric::lab
