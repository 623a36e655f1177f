// What measured flows say about the fabric.
#pragma once

#include <vector>

#include "engine/verify/flows/flow.hpp"
#include "engine/verify/verify.hpp"

namespace fabric::verify {

// Rules `tool-missing` (one a node and tool), `flow-failed`, and `bandwidth-low` where `judged`.
std::vector<Finding> flow_findings(
    const FabricSpec& spec, const std::vector<FlowReport>& flows, bool judged);

}  // namespace fabric::verify
