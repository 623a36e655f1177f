// SPDX-License-Identifier: Apache-2.0
// Compares equal nodes with each other to find the one that differs; nothing has to be declared for
// that.
#pragma once

#include <vector>

#include "engine/discovery/evidence.hpp"
#include "engine/verify/report/findings.hpp"
#include "engine/verify/report/link_report.hpp"

namespace fabric::verify {

// Rule `node-odd`, a warning for each property in which some nodes differ from most others, or in
// which no value is that of most. Nodes are of one kind if they have the same profiles and cards; a
// kind with one node is not compared. An unknown property of a node is not compared.
void add_odd_findings(
    const FabricSpec& spec,
    const discovery::Snapshot& snapshot,
    const std::vector<LinkReport>& links,
    Findings& findings);

}  // namespace fabric::verify
