// SPDX-License-Identifier: Apache-2.0
// Restores a name on a node that a boot with the new name has cut off.
#pragma once

#include <vector>

#include "engine/platform/facts.hpp"
#include "engine/provider/change.hpp"
#include "providers/linux/kinds/port/name_file.hpp"

namespace fabric::providers {

// Commands for `draft.undo`: give the port its present name again, whatever name the boot gave it,
// and make the node's own interface configuration run again, which may select interfaces by name.
// The back end is the one that `link_name` is bound to, or else the one that owns the interface.
// REQUIRES: named.has_interface().
std::vector<remote::Argv> name_back(
    const NodeFacts& facts, const NamedPort& named, const Resource& link_name);

}  // namespace fabric::providers
