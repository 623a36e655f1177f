// SPDX-License-Identifier: Apache-2.0
// Virtual functions of a port that are in use: changing their number would remove them.
#pragma once

#include <string>
#include <vector>

#include "engine/platform/facts.hpp"
#include "providers/cards/card.hpp"

namespace fabric::providers {

// One text for each function in use: "0000:01:00.2 is with vfio-pci", "virtual function 1 has the
// VLAN 100". A property that was not read, as in older facts, is left out.
std::vector<std::string> used_functions(const AdapterPort& port, const NodeFacts& facts);

}  // namespace fabric::providers
