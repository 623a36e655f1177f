// SPDX-License-Identifier: Apache-2.0
// All programs of the simulated Linux hosts: one function each, one file for each family.
#pragma once

#include "providers/linux/lab/shell/programs.hpp"

namespace fabric::lab {

const ProgramTable& linux_programs();

}  // namespace fabric::lab
