// SPDX-License-Identifier: Apache-2.0
// Edges: the planned work of all nodes as actions that need one another, with ids in an order that
// the edges allow.
#pragma once

#include <map>
#include <set>
#include <vector>

#include "engine/model/spec.hpp"
#include "plans/changes/candidate.hpp"
#include "plans/plan.hpp"
#include "plans/waves.hpp"

namespace fabric::plans {

struct ActionInputs {
  Candidates& candidates;  // most of each draft is moved into the actions
  const ResourceIndex& resources;
  const std::set<NodeName>& reboots;
  const AntiAffinity& apart;
  const WavePlan& waves;
  const RolloutSpec& rollout;
  // See plans/health_gates.hpp.
  const std::vector<const Resource*>& live_resources;
  const Registry& registry;
  // The hosts that each switch interrupts.
  const std::map<NodeName, std::set<NodeName>>& behind;
};

// Of every planned candidate its drafts in order; the reboot of a node after all its drafts; a
// resource's work after that of the resources it comes after, on another node after that node's
// reboot too, or in the order that this plan asks for (plans/carrier_order.hpp); of resources that
// lie on each other the files before any activation, which goes from below, from above where both
// lower their MTU; what several resources of a node activate together as one action
// (plans/shared_activation.hpp); what saves the configuration of a node once, after all else that
// is done there; whatever disturbs a node after everything that disturbs its ring neighbours, and
// the other managers of its subnet, in earlier waves, so that a lost one means: the ring is not cut
// further, the subnet keeps its manager; what a person does after everything on its node and on
// those of the resources that it comes after, in the last wave of these; a node with hooks has one
// before the first of what disturbs it or a switch that it is cabled to, in each wave, and one
// after everything that is done there by then; a disturbed node with live ports has a gate, without
// which no ring neighbour of a later wave is disturbed.
std::vector<Action> make_actions(const ActionInputs& inputs);

}  // namespace fabric::plans
