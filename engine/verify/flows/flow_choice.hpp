// SPDX-License-Identifier: Apache-2.0
// Which flows to measure, and in which order.
#pragma once

#include <cstdint>
#include <set>
#include <vector>

#include "engine/discovery/snapshot.hpp"
#include "engine/model/spec.hpp"
#include "engine/verify/evidence/counters.hpp"
#include "engine/verify/flows/flow.hpp"
#include "engine/verify/paths/topology.hpp"

namespace fabric::verify {

// Between which ports flows are measured.
enum class FlowPairs : std::uint8_t { neighbours, all };

struct FlowPair {
  PortRef a, b;
  Route route;
};

// `neighbours`: both ends of every cable between two hosts; over a switch each member port and the
// next one; in a chain also every other pair of nodes, by the way with the fewest cables (up to 16
// ports); the nodes of a lag in order, over their bonds.
// `all`: each node with every other one that can be reached, in the order of a tournament:
// successive pairs have no node in common as long as that is possible. Nodes with several ports at
// switches use them in turn, each with the same one (first, second, ...) of the other node.
std::vector<FlowPair> flow_pairs(
    const FabricSpec& spec, const Topology& topology, const NetworkSpec& network, FlowPairs pairs);

struct FlowWish {
  Traffic traffic = Traffic::rdma;
  FlowPairs pairs = FlowPairs::neighbours;
  std::set<NodeName> limit{};  // only flows to or from these nodes; empty = all
};

// Returns flows of `wish.traffic` between the pairs of every network. TCP needs addresses, so
// InfiniBand has no flows of it. Nodes that were not reached have no flows. `registry` has the
// platform of each node that was.
std::vector<Flow> flows_to_test(
    const FabricSpec& spec,
    const discovery::Snapshot& snapshot,
    const ReadingsByNode& readings,
    const Registry& registry,
    const FlowWish& wish);

// Rounds of flows (indices of `flows`, in order) that can run at the same time: no two of a round
// share a node, a cable or a forwarding card. Flows with a `why_not` are in no round. All pairs of
// N nodes behind switches take N - 1 rounds, or N if N is odd, which is the minimum.
std::vector<std::vector<std::size_t>> flow_rounds(const std::vector<Flow>& flows);

}  // namespace fabric::verify
