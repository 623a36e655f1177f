// SPDX-License-Identifier: Apache-2.0
// The nodes to ask for the topology of an InfiniBand subnet.
#pragma once

#include <set>
#include <vector>

#include "engine/model/spec.hpp"
#include "engine/verify/cables/wire_view.hpp"

namespace fabric::verify {

// Returns one node for each subnet of the document with a cable without data: first a node that is
// to manage the subnet, then one at such a cable. None for a subnet of which four nodes gave no
// data: a sweep of a large one takes seconds. `may_be_asked`: the nodes that can be reached.
std::vector<NodeName> next_vantages(
    const FabricSpec& spec,
    const WireEvidence& evidence,
    const std::set<NodeName>& may_be_asked,
    const std::set<NodeName>& asked);

}  // namespace fabric::verify
