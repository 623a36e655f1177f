// SPDX-License-Identifier: Apache-2.0
// The nodes of a plan: their identities, the nodes that are down, the machine that fabric runs on,
// and findings about these.
#pragma once

#include <optional>
#include <vector>

#include "engine/base/diagnostic.hpp"
#include "engine/discovery/snapshot.hpp"
#include "engine/model/rule.hpp"
#include "plans/changes/candidate.hpp"
#include "plans/plan.hpp"
#include "plans/planner.hpp"
#include "plans/waves.hpp"

namespace fabric::plans {

RuleRows plan_node_rules();  // node-unreachable, node-offline, own-machine, identity-missing

// The nodes that were asked, the nodes outside of the limit that count as down, and the nodes that
// are offline.
std::map<NodeName, PlanNode> plan_nodes(const PlanInputs& inputs);
Down down_nodes(const PlanInputs& inputs);
// The node that is the machine of PlanInputs::own.
std::optional<NodeName> own_node(const PlanInputs& inputs);
// (network, node) of each chain whose card is known to forward nothing: it does not run with host
// chaining and Ethernet on both ports, or one of its ports has no carrier. A card of unknown state
// may forward.
NotForwarding not_forwarding(const FabricSpec& spec, const discovery::Snapshot& snapshot);

// Reports the nodes that were not reached, those that are offline, and the one that is this
// machine. All nodes of a node set that failed with the same words share one finding, because many
// nodes are often behind one dead switch.
void name_nodes(const PlanInputs& inputs, const Plan& plan, Diagnostics& diagnostics);

// Virtual machines that keep a node out of its maintenance mode.
RuleRows held_machine_rules();  // machine-holds-function

// A warning for each node that enters its maintenance mode in this plan while virtual machines hold
// virtual functions there, or while it is unknown whether any do.
void warn_of_held_machines(
    const std::vector<Action>& actions,
    const ResourceIndex& resources,
    const discovery::Snapshot& snapshot,
    Diagnostics& diagnostics);

}  // namespace fabric::plans
