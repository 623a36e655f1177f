// SPDX-License-Identifier: Apache-2.0
// Planned work that would touch the interfaces that carry the SSH session to its own node, or take
// the way back to where it comes from. Where nobody knows which interfaces those are, work on any
// interface, card or driver of the node may.
#pragma once

#include <string>
#include <vector>

#include "engine/base/diagnostic.hpp"
#include "engine/discovery/snapshot.hpp"
#include "plans/changes/candidate.hpp"

namespace fabric::plans {

// A warning (rule `mgmt-path-touched`) per resource whose work touches it, and one per node whose
// path is not known. The nodes, in order, each once: `apply` refuses them unless it is told that
// they may be touched.
std::vector<NodeName> touched_management_paths(
    const Candidates& candidates, const discovery::Snapshot& snapshot, Diagnostics& diagnostics);

}  // namespace fabric::plans
