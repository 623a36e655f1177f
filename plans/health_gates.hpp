// SPDX-License-Identifier: Apache-2.0
// Health gates: a resource that was good on a node before its disturbance must be good again before
// other nodes are disturbed. Good: a port has a carrier, a manager manages its subnet.
#pragma once

#include <map>
#include <set>
#include <utility>
#include <vector>

#include "engine/base/clock.hpp"
#include "engine/discovery/snapshot.hpp"
#include "engine/provider/registry.hpp"
#include "plans/changes/candidate.hpp"
#include "plans/plan.hpp"

namespace fabric::plans {

// Hooks: actions around everything that disrupts a node, woven into the graph of its other actions.
using Vertex = std::size_t;  // an action while the graph is made
using Edges = std::set<std::pair<Vertex, Vertex>>;

struct HookGraph {
  std::vector<Action>& actions;
  Edges& needs;
  Edges& after;
  std::map<Vertex, Vertex>& closes;  // see Action::closes
  const std::map<NodeName, std::vector<Vertex>>& disturbing;
  const std::map<NodeName, Vertex>& owed;  // an after_disruption hook that an earlier run owes
  const std::map<NodeName, std::set<NodeName>>& behind;  // see interruption/left_for_boot.hpp
  const Registry& registry;
};

// For each node with hooks that is disrupted by work on it or on a switch that it is cabled to:
// before_disruption runs before anything is set or written there in the wave, so that a drain that
// fails leaves the node as it was, and after_disruption when all work there in that wave has ended.
// A host of several switches in one wave is drained once.
void weave_hooks(const ResourceIndex& resources, HookGraph graph);

// The cable ends that have a carrier now and must have it after the plan, without ends whose link
// type the plan changes, because an InfiniBand port without its manager has no carrier; and the
// subnet managers that manage (or stand by) now: no other manager is disturbed before they do so
// again.
std::vector<const Resource*> live_resources(
    const Candidates& candidates,
    const ResourceIndex& resources,
    const discovery::Snapshot& snapshot);

struct GateGraph {
  std::vector<Action>& actions;
  Edges& needs;
  Edges& after;
  const std::map<NodeName, std::vector<Vertex>>& disturbing;
  const std::map<NodeName, std::vector<Vertex>>& of_node;
  const std::map<NodeName, std::uint32_t>& wave_of;
};

// For each disturbed node with live resources: one action, which changes nothing. It comes after
// all work on the node, and after work that disturbs the other ends in the same wave. It waits
// until the resources are as before, for at most `patience`, or as long as a manager takes. Returns
// the gates by node.
std::map<NodeName, Vertex> add_gates(
    const std::vector<const Resource*>& live, Duration patience, GateGraph graph);

}  // namespace fabric::plans
