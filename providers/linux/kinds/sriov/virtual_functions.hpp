// SPDX-License-Identifier: Apache-2.0
// Virtual functions of a port that somebody uses: another number of them would take them away.
#pragma once

#include <string>
#include <vector>

#include "engine/platform/facts.hpp"
#include "providers/cards/card.hpp"

namespace fabric::providers {

// "0000:01:00.2 is with vfio-pci", "virtual function 1 has the VLAN 100", one for each function
// that is used. What nobody looked at, as facts of before have it, is not told.
std::vector<std::string> used_functions(const AdapterPort& port, const NodeFacts& facts);

}  // namespace fabric::providers
