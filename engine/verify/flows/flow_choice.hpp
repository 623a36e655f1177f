// Which flows to measure, and in which order.
#pragma once

#include <vector>

#include "engine/discovery/snapshot.hpp"
#include "engine/model/spec.hpp"
#include "engine/verify/evidence/counters.hpp"
#include "engine/verify/flows/flow.hpp"

namespace fabric::verify {

// Flows by `tool`: both ends of every cable between two hosts; over a switch each member port and
// the next one; in a chain also every other pair of nodes, by the way with the fewest cables (up to
// 16 ports); the nodes of a lag in order, over their bonds. iperf3 needs addresses, so it measures
// nothing on InfiniBand. Nodes that were not reached have no flows.
std::vector<Flow> flows_to_test(
    const FabricSpec& spec,
    const discovery::Snapshot& snapshot,
    const ReadingsByNode& readings,
    FlowTool tool);

// Flows that can run at the same time: none shares a node, a cable or a forwarding card with
// another of its round. In order; flows that are not to be tried are in no round.
std::vector<std::vector<std::size_t>> flow_rounds(const std::vector<Flow>& flows);

}  // namespace fabric::verify
