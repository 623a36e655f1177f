// SPDX-License-Identifier: Apache-2.0
// The findings from measured flows.
#pragma once

#include <vector>

#include "engine/verify/flows/flow.hpp"
#include "engine/verify/report/findings.hpp"

namespace fabric::verify {

// Rules `tool-missing` (one a node and tool), `flow-failed`, and if `judged` also `bandwidth-low`
// and `bandwidth-odd`. A broken cable, a node on its way that was not reached, or its bond is the
// cause of a flow that fails.
void add_flow_findings(
    const FabricSpec& spec, const std::vector<FlowReport>& flows, bool judged, Findings& findings);

}  // namespace fabric::verify
