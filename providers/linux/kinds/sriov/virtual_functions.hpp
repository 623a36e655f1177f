// SPDX-License-Identifier: Apache-2.0
// Virtual functions of a port that are in use: changing their number would remove them.
#pragma once

#include <string>
#include <vector>

#include "engine/model/names.hpp"
#include "engine/platform/facts.hpp"
#include "engine/platform/owned_file.hpp"
#include "providers/cards/card.hpp"

namespace fabric::providers {

// One text for each function in use: "0000:01:00.2 is with vfio-pci", "virtual function 1 has the
// VLAN 100". A property that was not read, as in older facts, is left out.
std::vector<std::string> used_functions(const AdapterPort& port, const NodeFacts& facts);

// The udev rules of fabric that make the virtual functions of a port at every boot.
// The texts of the rule files, by path.
const FileTexts& function_rules(const NodeFacts& facts);
// True if a file of fabric on the node makes the virtual functions of the port at `function`.
bool makes_functions(const NodeFacts& facts, const PciAddress& function);

}  // namespace fabric::providers
