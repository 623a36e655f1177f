// Planned work that would touch the interfaces that carry the SSH session to its own node, or take
// the way back to where it comes from.
#pragma once

#include <string>
#include <vector>

#include "engine/base/diagnostic.hpp"
#include "engine/discovery/snapshot.hpp"
#include "plans/candidate.hpp"

namespace fabric::plans {

// A warning (rule `mgmt-path-touched`) per resource whose work touches it. The nodes, in order,
// each once: `apply` refuses them unless it is told that they may be touched.
std::vector<NodeName> touched_management_paths(
    const Candidates& candidates, const discovery::Snapshot& snapshot, Diagnostics& diagnostics);

}  // namespace fabric::plans
