// SPDX-License-Identifier: Apache-2.0
// Edges: the planned work of all nodes as actions that need one another, with ids in an order that
// the edges allow.
#pragma once

#include <map>
#include <set>
#include <vector>

#include "engine/model/spec.hpp"
#include "engine/provider/change.hpp"
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

// The actions, with these edges:
// - the drafts of a candidate in order; the reboot of a node after all its drafts;
// - a resource's work after that of the resources it comes after, on another node also after that
//   node's reboot; or in the order that this plan asks for (carrier_order());
// - for resources that lie on each other: all files before any activation; activations from below,
//   from above where both lower their MTU; an activation that resources share is one action
//   (share_activations() in edges.cpp); a node's configuration is saved after its other work;
// - disturbing work after all that disturbs the node's ring neighbours and the other managers of
//   its subnet in earlier waves, so that a lost node leaves the ring and the subnet working;
// - a person's work after all of its node and of the nodes it depends on, in their last wave;
// - a node's hooks before and after the work that disturbs it or a switch it is cabled to, in a
//   wave;
// - a gate for a disturbed node with live ports; ring neighbours in later waves wait for it.
std::vector<Action> make_actions(const ActionInputs& inputs);

// Carrier order: where an MTU grows, the resources that carry frames are changed before the
// resources that send them, and after them where it shrinks, on every platform. Carriers are the
// ports, channels and peer links of all switches that forward to each other, and the managers of an
// InfiniBand subnet, whose group has the MTU. Senders are interfaces, bonds, VLANs and virtual
// switches of hosts. A manager that is removed is removed after the IPoIB that is removed.
// `changes` in order of address.
Order carrier_order(const FabricSpec& spec, const std::vector<Change>& changes);

}  // namespace fabric::plans
