// SPDX-License-Identifier: Apache-2.0
// Orphans: resources that the document asked for once, no longer does, and that files of fabric
// still make. Their desired values are null, or, for settings that get their former values back
// (keys::kGiveBack), the values of before.
#pragma once

#include <vector>

#include "engine/provider/registry.hpp"

namespace fabric {

// Nothing at all is wanted of it: it is to be removed.
bool is_orphan(const Resource& resource);

// The orphans of the nodes that were reached, in order of address. An orphan with the address of a
// wanted resource has only the attributes that are no longer asked for. `beneath` is as it was when
// it was written.
std::vector<Resource> find_orphans(
    const std::vector<Resource>& wanted,
    const std::vector<NodeFacts>& facts,
    const Registry& registry);

// All that a plan is about. What an orphan lies on is only touched after it was removed; what
// follows for others of its kind the kinds say (Provider::relate).
std::vector<Resource> with_orphans(
    std::vector<Resource> wanted, const std::vector<Resource>& orphans, const Registry& registry);

}  // namespace fabric
