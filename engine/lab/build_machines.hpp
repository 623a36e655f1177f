// SPDX-License-Identifier: Apache-2.0
// From the document and lab.yaml to simulated hosts and cables. Private to engine/lab.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <vector>

#include "engine/lab/lab_spec.hpp"
#include "engine/lab/machine/machine.hpp"
#include "engine/lab/wire/world.hpp"
#include "engine/model/spec.hpp"

namespace fabric::lab {

// The machine of a node by the table of its platform, switched off; null if there is no maker for
// it: such a node is only a name at the end of a cable.
std::unique_ptr<Machine> build_machine(
    const NodeSpec& node, const FabricSpec& fabric, const LabSpec& lab, std::uint64_t seed);
// Gives a card whose GUID one of `taken` has already the next free one, and adds its own. Of
// hundreds of hosts two would draw the same.
void tell_cards_apart(Machine& machine, std::set<std::uint64_t>& taken);
// The cables of lab.yaml, or of the document, without the unplugged ones.
void plug_cables(World& world, const FabricSpec& fabric, const LabSpec& lab);
// The cables that end at one of these nodes; any other plug in their ports is pulled.
void plug_cables_of(
    const std::set<NodeName>& nodes, World& world, const FabricSpec& fabric, const LabSpec& lab);

}  // namespace fabric::lab
