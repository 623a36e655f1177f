// SPDX-License-Identifier: Apache-2.0
// The work for a change of an interface, with any back end.
#pragma once

#include "engine/provider/provider.hpp"
#include "providers/linux/kinds/interface/backends/backend.hpp"
#include "providers/linux/kinds/interface/link/find_link.hpp"

namespace fabric::providers {

struct LinkOnNode {
  const FoundLink& link;  // REQUIRES: found
  const RunningLinks& links;
  const NetworkBackend& backend;  // REQUIRES: no obstacle
};

// At most one action that writes and activates, so that the node can roll back both together;
// before it an action that keeps copies of adopted files.
Result<Work> link_work(const Change& change, const WorkContext& context, const LinkOnNode& on_node);

}  // namespace fabric::providers
