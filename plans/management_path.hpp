// SPDX-License-Identifier: Apache-2.0
// Planned work that touches the interfaces that carry the SSH session to its own node, or the route
// back to the session's origin. Where these interfaces are unknown, work on any interface, card or
// driver of the node counts.
#pragma once

#include <vector>

#include "engine/base/diagnostic.hpp"
#include "engine/discovery/snapshot.hpp"
#include "plans/changes/candidate.hpp"

namespace fabric::plans {

// A warning (rule `mgmt-path-touched`) for each resource whose work touches the management path,
// and one for each node whose path is unknown. Returns these nodes, sorted, each once: `apply`
// refuses them unless a permission names them.
std::vector<NodeName> touched_management_paths(
    const Candidates& candidates, const discovery::Snapshot& snapshot, Diagnostics& diagnostics);

}  // namespace fabric::plans
