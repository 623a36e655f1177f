// SPDX-License-Identifier: Apache-2.0
// The nodes to ask for the topology of an InfiniBand subnet.
#pragma once

#include <set>
#include <vector>

#include "engine/model/spec.hpp"
#include "engine/verify/cables/wire_view.hpp"

namespace fabric::verify {

// One node for each subnet of the document of which some cable has no data yet: first one that is
// to manage it, then one at such a cable. None for a subnet of which four were asked in vain: a
// sweep of a large one takes seconds. `may_be_asked`: the nodes that can be reached.
std::vector<NodeName> next_vantages(
    const FabricSpec& spec,
    const WireEvidence& evidence,
    const std::set<NodeName>& may_be_asked,
    const std::set<NodeName>& asked);

}  // namespace fabric::verify
