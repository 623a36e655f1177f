// SPDX-License-Identifier: Apache-2.0
// The effects of a plan beside those on its resources.
#pragma once

#include <vector>

#include "engine/base/diagnostic.hpp"
#include "engine/discovery/snapshot.hpp"
#include "engine/model/spec.hpp"
#include "plans/changes/candidate.hpp"
#include "plans/plan.hpp"

namespace fabric::plans {

// The effects of a plan on the traffic of InfiniBand subnets: hosts that lose or gain a partition,
// forwarding tables that are rewritten, and subnets that lose their last manager.
// Adds to plan.impact the traffic that planned changes of subnet managers interrupt. A network
// whose managers hand out nothing yet loses nothing. REQUIRES: the plan has its actions.
void tell_subnet_traffic(
    const Candidates& candidates,
    const ResourceIndex& resources,
    const discovery::Snapshot& snapshot,
    const FabricSpec& spec,
    Plan& plan);

// Planned work that touches the interfaces that carry the SSH session to its own node, or the route
// back to the session's origin. Where these interfaces are unknown, work on any interface, card or
// driver of the node counts.
// A warning (rule `mgmt-path-touched`) for each resource whose work touches the management path,
// and one for each node whose path is unknown. Returns these nodes, sorted, each once: `apply`
// refuses them unless a permission names them.
std::vector<NodeName> touched_management_paths(
    const Candidates& candidates, const discovery::Snapshot& snapshot, Diagnostics& diagnostics);

}  // namespace fabric::plans
