// SPDX-License-Identifier: Apache-2.0
// Virtual machines that keep a node out of its maintenance mode.
#pragma once

#include <vector>

#include "engine/base/diagnostic.hpp"
#include "engine/discovery/snapshot.hpp"
#include "engine/model/rule.hpp"
#include "plans/changes/candidate.hpp"
#include "plans/plan.hpp"

namespace fabric::plans {

RuleRows held_machine_rules();  // machine-holds-function

// A warning for each node that enters its maintenance mode in this plan while virtual machines hold
// virtual functions there, or while it is unknown whether any do.
void warn_of_held_machines(
    const std::vector<Action>& actions,
    const ResourceIndex& resources,
    const discovery::Snapshot& snapshot,
    Diagnostics& diagnostics);

}  // namespace fabric::plans
