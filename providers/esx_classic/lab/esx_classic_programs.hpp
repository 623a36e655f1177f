// SPDX-License-Identifier: Apache-2.0
// The programs of a service console of ESX: those of its Linux, of VMware and of the vendor.
#pragma once

#include "providers/linux/lab/shell/programs.hpp"

namespace fabric::lab {

const ProgramTable& esx_classic_programs();

namespace esx_classic {
int esxcfg_advcfg(Process& process);
int esxcfg_boot(Process& process);
int esxcfg_module(Process& process);
int esxcfg_nics(Process& process);
int esxcfg_vswif(Process& process);
int esxcfg_vswitch(Process& process);
int esxupdate(Process& process);
int ibstat(Process& process);
int lspci(Process& process);
int rpm(Process& process);
int vim_cmd(Process& process);
int vmkload_mod(Process& process);
int vmware(Process& process);
int vmware_cmd(Process& process);
}  // namespace esx_classic

}  // namespace fabric::lab
