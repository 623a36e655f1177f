// SPDX-License-Identifier: Apache-2.0
// Flows that carry less than their equals do, with nothing declared and no limit known.
#pragma once

#include <cstddef>
#include <map>
#include <vector>

#include "engine/verify/flows/flow.hpp"
#include "engine/verify/report/findings.hpp"

namespace fabric::verify {

// Rule `bandwidth-odd`. Equal are measured flows of one network and tool that as many cards
// forward. Of five or more, those are odd that carry less than the median by more than a tenth and
// by more than four times the spread (the median deviation, scaled to that of a normal
// distribution). One finding for a node that has two odd flows and more odd ones than others, else
// one for the flow. The finding of each odd flow, by its index in `reports`.
std::map<std::size_t, Findings::Number> add_odd_flows(
    const FabricSpec& spec, const std::vector<FlowReport>& reports, Findings& findings);

}  // namespace fabric::verify
