// SPDX-License-Identifier: Apache-2.0
// Which flows to measure, and in which order.
#pragma once

#include <set>
#include <vector>

#include "engine/discovery/snapshot.hpp"
#include "engine/model/spec.hpp"
#include "engine/verify/evidence/counters.hpp"
#include "engine/verify/flows/flow.hpp"
#include "engine/verify/flows/flow_pairs.hpp"

namespace fabric::verify {

struct FlowWish {
  Traffic traffic = Traffic::rdma;
  FlowPairs pairs = FlowPairs::neighbours;
  std::set<NodeName> limit{};  // flows to or from these; empty = all
};

// Flows of `wish.traffic` between the pairs of every network. TCP needs addresses, so none is
// measured on InfiniBand. Nodes that were not reached have no flows. `registry` has the platform of
// each node that was.
std::vector<Flow> flows_to_test(
    const FabricSpec& spec,
    const discovery::Snapshot& snapshot,
    const ReadingsByNode& readings,
    const Registry& registry,
    const FlowWish& wish);

// Flows that can run at the same time: none shares a node, a cable or a forwarding card with
// another of its round. In order; flows that are not to be tried are in no round. All pairs of N
// nodes behind switches take N - 1 rounds, or N if N is odd, which is the least there can be.
std::vector<std::vector<std::size_t>> flow_rounds(const std::vector<Flow>& flows);

}  // namespace fabric::verify
