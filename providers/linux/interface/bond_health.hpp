// SPDX-License-Identifier: Apache-2.0
// What is wrong with a bond that runs. For plans (a warning) and for `verify` (a failure).
#pragma once

#include <string>
#include <vector>

#include "providers/parsers/proc_bonding.hpp"

namespace fabric::providers {

// One sentence for each ailment, worst first; empty = healthy. "Up" is no evidence of LACP: every
// MII status may be up, and the RoCE LAG device may exist, while nothing is aggregated.
std::vector<std::string> bond_ailments(const ProcBonding& bond);

}  // namespace fabric::providers
