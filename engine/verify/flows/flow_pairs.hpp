// SPDX-License-Identifier: Apache-2.0
// Between which ports flows are measured.
#pragma once

#include <cstdint>
#include <vector>

#include "engine/model/spec.hpp"
#include "engine/verify/paths/topology.hpp"

namespace fabric::verify {

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

}  // namespace fabric::verify
