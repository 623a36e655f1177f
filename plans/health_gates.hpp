// SPDX-License-Identifier: Apache-2.0
// Health gates: what was good on a node before it was disturbed must be good again before others
// are. Good is: a port of the document has a carrier, a subnet manager manages.
#pragma once

#include <map>
#include <set>
#include <utility>
#include <vector>

#include "engine/base/clock.hpp"
#include "engine/discovery/snapshot.hpp"
#include "plans/changes/candidate.hpp"
#include "plans/hooks.hpp"

namespace fabric::plans {

// Ends of cables that have a carrier now and must have it afterwards: not those whose link type the
// plan changes at either end, for an InfiniBand port without its manager has none. And the subnet
// managers that manage (or stand by) now: the next one is not disturbed before they do again.
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

// Of each disturbed node that has live resources one action, which changes nothing: after
// everything that is done there, and after what disturbs the other ends in the same wave, it waits
// up to `patience`, or as long as a manager takes, until they are what they were. The gates by
// node.
std::map<NodeName, Vertex> add_gates(
    const std::vector<const Resource*>& live, Duration patience, GateGraph graph);

}  // namespace fabric::plans
