// SPDX-License-Identifier: Apache-2.0
// Tells whether a plan still has work to do on its nodes, as apply would.
#pragma once

#include <vector>

#include "engine/discovery/snapshot.hpp"
#include "engine/model/resource.hpp"
#include "engine/provider/registry.hpp"
#include "plans/plan.hpp"

namespace fabric::execute {

// True unless all effects of its actions are there already, by the present readings of the nodes.
// Effects that can't be known, and those on a node that was not reached, count as left.
// `resources`: those that the plan was made from.
bool is_left_to_do(
    const plans::Plan& plan,
    const std::vector<Resource>& resources,
    const Registry& registry,
    const discovery::Snapshot& snapshot);

}  // namespace fabric::execute
