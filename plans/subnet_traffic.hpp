// SPDX-License-Identifier: Apache-2.0
// The effects of a plan on the traffic of InfiniBand subnets: hosts that lose or gain a partition,
// forwarding tables that are rewritten, and subnets that lose their last manager.
#pragma once

#include "engine/discovery/snapshot.hpp"
#include "engine/model/spec.hpp"
#include "plans/changes/candidate.hpp"
#include "plans/plan.hpp"

namespace fabric::plans {

// Adds to plan.impact the traffic that planned changes of subnet managers interrupt. A network
// whose managers hand out nothing yet loses nothing. REQUIRES: the plan has its actions.
void tell_subnet_traffic(
    const Candidates& candidates,
    const ResourceIndex& resources,
    const discovery::Snapshot& snapshot,
    const FabricSpec& spec,
    Plan& plan);

}  // namespace fabric::plans
