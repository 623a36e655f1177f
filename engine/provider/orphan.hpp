// SPDX-License-Identifier: Apache-2.0
// Orphans: resources that the document no longer asks for, and that files of fabric still make.
// Their desired values are null, or, for settings that get their former values back
// (keys::kGiveBack), the values of before.
#pragma once

#include <vector>

#include "engine/provider/registry.hpp"

namespace fabric {

// True if the resource is to be removed: nothing of it is wanted.
bool is_orphan(const Resource& resource);

// The orphans of the nodes that were reached, in order of address. An orphan with the address of a
// wanted resource has only the attributes that are no longer asked for. `beneath` is that of the
// time when the file was written.
std::vector<Resource> find_orphans(
    const std::vector<Resource>& wanted,
    const std::vector<NodeFacts>& facts,
    const Registry& registry);

// All resources of a plan. A resource beneath an orphan is only touched after that was removed;
// other edges between resources of one kind are Provider::relate's.
std::vector<Resource> with_orphans(
    std::vector<Resource> wanted, const std::vector<Resource>& orphans, const Registry& registry);

}  // namespace fabric
