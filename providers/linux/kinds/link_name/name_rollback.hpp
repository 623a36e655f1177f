// SPDX-License-Identifier: Apache-2.0
// Takes a name back on a node that a boot with that name has cut off.
#pragma once

#include <vector>

#include "engine/platform/facts.hpp"
#include "engine/provider/change.hpp"
#include "providers/linux/kinds/port/name_file.hpp"

namespace fabric::providers {

// For `draft.undo`: the port is called as it is called now, whatever the boot has made of
// it, and the node's own configuration of interfaces runs again, which may know them by their
// names alone: by the back end that `link_name` is bound to, else by the one that owns the
// interface. REQUIRES: named.has_interface().
std::vector<remote::Argv> name_back(
    const NodeFacts& facts, const NamedPort& named, const Resource& link_name);

}  // namespace fabric::providers
