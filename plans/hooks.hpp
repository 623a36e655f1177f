// SPDX-License-Identifier: Apache-2.0
// Hooks: actions around everything that disrupts a node, woven into the graph of its other actions.
#pragma once

#include <map>
#include <set>
#include <utility>
#include <vector>

#include "engine/provider/registry.hpp"
#include "plans/changes/candidate.hpp"
#include "plans/plan.hpp"

namespace fabric::plans {

using Vertex = std::size_t;  // an action while the graph is made
using Edges = std::set<std::pair<Vertex, Vertex>>;

struct HookGraph {
  std::vector<Action>& actions;
  Edges& needs;
  Edges& after;
  std::map<Vertex, Vertex>& closes;  // see Action::closes
  const std::map<NodeName, std::vector<Vertex>>& disturbing;
  const std::map<NodeName, Vertex>& owed;  // an after_disruption that an earlier run owes
  const std::map<NodeName, std::uint32_t>& wave_of;
  const Registry& registry;
};

// Of each node with hooks that is disrupted: before_disruption when all that the first disruption
// waits for is done, after_disruption when everything that is done there in its wave has ended.
void weave_hooks(const ResourceIndex& resources, HookGraph graph);

}  // namespace fabric::plans
