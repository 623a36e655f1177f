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
  const std::map<NodeName, Vertex>& owed;  // an after_disruption hook that an earlier run owes
  const std::map<NodeName, std::set<NodeName>>& behind;  // see interruption/hosts_behind.hpp
  const Registry& registry;
};

// For each node with hooks that is disrupted by work on it or on a switch that it is cabled to:
// before_disruption runs before anything is set or written there in the wave, so that a drain that
// fails leaves the node as it was, and after_disruption when all work there in that wave has ended.
// A host of several switches in one wave is drained once.
void weave_hooks(const ResourceIndex& resources, HookGraph graph);

}  // namespace fabric::plans
