// SPDX-License-Identifier: Apache-2.0
// Reads the InfiniBand subnets of the document: from a node of each, and from views that were read
// elsewhere.
#pragma once

#include <vector>

#include "engine/discovery/snapshot.hpp"
#include "engine/provider/peers.hpp"
#include "engine/remote/runner.hpp"
#include "engine/verify/verify.hpp"
#include "engine/workflow/listener.hpp"
#include "engine/workflow/wanted.hpp"

namespace fabric::workflow {

// The ways to learn of subnets. They are tried in order: no node is asked about a subnet that an
// earlier way has shown.
struct WireWay {
  bool ask_nodes = false;                 // one node of each subnet looks at it
  std::vector<verify::WireView> views{};  // from this machine, or from files
};

// True if there is a subnet to look at.
bool has_infiniband(const FabricSpec& spec);

// `snapshot`, which may be null, has the port GUIDs and the nodes that can be asked; without it
// that is every node within --limit. Without `runner` no node is asked.
verify::WireEvidence read_wire(
    Listener& listener,
    const Desired& desired,
    const discovery::Snapshot* snapshot,
    const std::vector<WireWay>& ways,
    remote::StepRunner* runner);

// If a resource names ports of other nodes (keys::kPeers) that no node shows, a node of each subnet
// looks at it and has the result among its facts. No node looks in a plan that is limited to some
// nodes, whose partitions wait.
void look_for_peers(
    Listener& listener,
    const Desired& desired,
    std::vector<NodeFacts>& facts,
    remote::StepRunner& runner);

// The GUIDs of those ports, by the looks among the facts.
PortGuids guids_in_subnets(const Desired& desired, const std::vector<NodeFacts>& facts);

}  // namespace fabric::workflow
