// SPDX-License-Identifier: Apache-2.0
// How often the plan makes another manager take over a subnet.
#pragma once

#include <cstdint>
#include <vector>

#include "engine/discovery/snapshot.hpp"
#include "plans/changes/candidate.hpp"
#include "plans/plan.hpp"

namespace fabric::plans {

// The actions that end or restart the OpenSM that is master now, boots of its node among them,
// where the subnet's network has another manager.
std::uint32_t manager_moves(
    const std::vector<Action>& actions,
    const ResourceIndex& resources,
    const discovery::Snapshot& snapshot);

}  // namespace fabric::plans
