// SPDX-License-Identifier: Apache-2.0
// The nodes to ask for the topology of an InfiniBand subnet.
#pragma once

#include <map>
#include <set>
#include <vector>

#include "engine/model/names.hpp"
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

// The port GUIDs of hosts that could not be read, as the subnet shows them.
// The port GUIDs of those of `ports` whose adapter has the host's name in its node description and
// a known place in the subnet: a cable alone does not decide which port is in a partition.
std::map<PortRef, Guid> guids_in_subnets(
    const FabricSpec& spec, const WireEvidence& evidence, const std::set<PortRef>& ports);

}  // namespace fabric::verify
