// SPDX-License-Identifier: Apache-2.0
// Health gates: a resource that was good on a node before its disturbance must be good again before
// other nodes are disturbed. Good: a port has a carrier, a manager manages its subnet.
#pragma once

#include <map>
#include <vector>

#include "engine/base/clock.hpp"
#include "engine/discovery/snapshot.hpp"
#include "plans/changes/candidate.hpp"
#include "plans/hooks.hpp"

namespace fabric::plans {

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
