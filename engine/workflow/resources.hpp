// SPDX-License-Identifier: Apache-2.0
// Resources as they are planned, observed and applied: what the document wants, what it has
// forgotten, and what other nodes and this machine tell of both. The only place that puts them
// together.
#pragma once

#include <functional>
#include <vector>

#include "engine/discovery/snapshot.hpp"
#include "engine/provider/bindings.hpp"
#include "engine/workflow/wanted.hpp"

namespace fabric::workflow {

// What completes the bindings of resources and only the control host can tell: the digests of
// firmware images. Empty = the bindings are complete.
using BindFiles = std::function<Bindings(const std::vector<Resource>&, Diagnostics&)>;

struct PreparedResources {
  std::vector<Resource> orphans;    // of nodes that may be written
  std::vector<Resource> resources;  // with them, and with all that was found out
  Bindings found_out;               // what the document does not say and a plan has to carry
};

// For a new plan: orphans, port GUIDs of other nodes, files of the control host.
PreparedResources prepare_resources(
    const Desired& desired,
    const std::vector<NodeFacts>& facts,
    const BindFiles& bind_files,
    Diagnostics& diagnostics);

// For a plan that is there: as they were when it was made.
std::vector<Resource> planned_resources(const Desired& desired, const plans::Plan& plan);

// What the document wants as `facts` show it, for verbs that change nothing. Orphans are left out.
discovery::Snapshot observe(
    const Desired& desired, std::vector<NodeFacts> facts, Diagnostics& diagnostics);

}  // namespace fabric::workflow
