// SPDX-License-Identifier: Apache-2.0
// The programs of a switch with NVUE: those of its Linux system, `nv`, and lldpcli.
#pragma once

#include "engine/value/value.hpp"
#include "providers/linux/lab/shell/programs.hpp"

namespace fabric::lab {

class NvueMachine;

const ProgramTable& nvue_programs();

namespace nvue {

int nv(Process& process);                               // nv.cpp
int lldpcli(Process& process);                          // nv_show.cpp
int show(Process& process, NvueMachine& machine);       // nv_show.cpp
int configure(Process& process, NvueMachine& machine);  // nv_config.cpp: set, unset, config

}  // namespace nvue

}  // namespace fabric::lab
