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
