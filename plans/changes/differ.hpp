// SPDX-License-Identifier: Apache-2.0
// Desired against observed, attribute by attribute, layer by layer.
#pragma once

#include <vector>

#include "engine/discovery/snapshot.hpp"
#include "engine/provider/change.hpp"

namespace fabric::plans {

// The resources that differ, in order of address, without those that only `verify` checks. An
// attribute is right when every layer it has is known and equal. The change has the kind unknown
// (never planned, always shown) for a resource of an unreachable node, and for an attribute whose
// layer is unknown where only this layer could tell the value. An unknown running value beside a
// next-boot layer is a change: activation is owed (I13).
std::vector<Change> diff(
    const std::vector<Resource>& resources,
    const discovery::Snapshot& snapshot,
    const Registry& registry);

}  // namespace fabric::plans
