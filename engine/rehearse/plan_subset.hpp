// SPDX-License-Identifier: Apache-2.0
// A plan without the parts that the lab can't simulate.
#pragma once

#include <set>

#include "plans/plan.hpp"

namespace fabric::rehearse {

// Actions that are about nothing but `resources` are gone, and actions that waited for them wait
// for their prerequisites; hooks and gates of a node go with the last of its work. In the others
// the conditions on `resources` are gone. So are changes of both, and of `nodes`.
plans::Plan without(
    plans::Plan plan, const std::set<ResourceAddress>& resources, const std::set<NodeName>& nodes);

}  // namespace fabric::rehearse
