// SPDX-License-Identifier: Apache-2.0
// Desired against observed, attribute by attribute, layer by layer.
#pragma once

#include <vector>

#include "engine/discovery/snapshot.hpp"
#include "engine/provider/change.hpp"

namespace fabric::plans {

// In order of address; only resources that differ, and none that is for `verify` alone. An
// attribute is right when every layer it has is known and equal. A resource of an unreachable node,
// or whose attribute is unknown in a layer that only the unknown one could tell, is a change of
// kind unknown (never planned, always shown). An unknown running value beside a next-boot layer is
// a change: activation is owed (I13).
std::vector<Change> diff(
    const std::vector<Resource>& resources,
    const discovery::Snapshot& snapshot,
    const Registry& registry);

}  // namespace fabric::plans
