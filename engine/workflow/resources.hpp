// SPDX-License-Identifier: Apache-2.0
// Resources as they are planned, observed and applied: those of the document, orphans, and values
// for both from other nodes and this machine. The only place that puts them together.
#pragma once

#include <functional>
#include <vector>

#include "engine/discovery/snapshot.hpp"
#include "engine/provider/bindings.hpp"
#include "engine/workflow/wanted.hpp"

namespace fabric::workflow {

// Completes the bindings of resources with facts that only the control host has: the digests of
// firmware images. Empty = the bindings are complete.
using BindFiles = std::function<Bindings(const std::vector<Resource>&, Diagnostics&)>;

struct PreparedResources {
  std::vector<Resource> orphans;    // orphans of nodes that may be written
  std::vector<Resource> resources;  // with them, and with all facts that were found
  Bindings found_out;               // facts that the document does not have and a plan has to carry
};

// For a new plan: orphans, port GUIDs of other nodes, files of the control host.
PreparedResources prepare_resources(
    const Desired& desired,
    const std::vector<NodeFacts>& facts,
    const BindFiles& bind_files,
    Diagnostics& diagnostics);

// For an existing plan: the resources as they were when it was made.
std::vector<Resource> planned_resources(const Desired& desired, const plans::Plan& plan);

// The resources that the document wants, as `facts` show them, for verbs that change nothing.
// Orphans are left out.
discovery::Snapshot observe(
    const Desired& desired, std::vector<NodeFacts> facts, Diagnostics& diagnostics);

}  // namespace fabric::workflow
