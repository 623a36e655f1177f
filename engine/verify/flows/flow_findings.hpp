// SPDX-License-Identifier: Apache-2.0
// The findings from measured flows.
#pragma once

#include <vector>

#include "engine/verify/flows/flow.hpp"
#include "engine/verify/report/findings.hpp"

namespace fabric::verify {

// Rules `tool-missing` (one a node and tool), `flow-failed`, and `bandwidth-low` and
// `bandwidth-odd` where `judged`. A flow fails because of a broken cable, a node that was not
// reached on its way, or its bond.
void add_flow_findings(
    const FabricSpec& spec, const std::vector<FlowReport>& flows, bool judged, Findings& findings);

}  // namespace fabric::verify
