// SPDX-License-Identifier: Apache-2.0
// What is wrong with a bond that runs. For plans (a warning) and for `verify` (a failure).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "providers/parsers/proc_bonding.hpp"

namespace fabric::providers {

struct BondAilment {
  std::string_view fault;  // engine/provider/bond_faults.hpp
  std::string text;
  friend bool operator==(const BondAilment&, const BondAilment&) = default;
};

// Worst first; empty = healthy. "Up" is no evidence of LACP: every
// MII status may be up, and the RoCE LAG device may exist, while nothing is aggregated.
std::vector<BondAilment> bond_ailments(const ProcBonding& bond);

}  // namespace fabric::providers
