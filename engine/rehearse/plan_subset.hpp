// SPDX-License-Identifier: Apache-2.0
// Leaves out of a plan the parts that the lab can't simulate.
#pragma once

#include <set>

#include "plans/plan.hpp"

namespace fabric::rehearse {

// Removes actions only about `resources`: actions that waited for them wait for their
// prerequisites, and hooks and gates of a node go with the last of its work. Removes from the
// others the conditions on `resources`; also changes of `resources` and `nodes`.
plans::Plan without(
    plans::Plan plan, const std::set<ResourceAddress>& resources, const std::set<NodeName>& nodes);

}  // namespace fabric::rehearse
