// SPDX-License-Identifier: Apache-2.0
// Conditions: the probes that they need, and whether they hold.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "engine/discovery/snapshot.hpp"
#include "engine/model/resource.hpp"
#include "engine/platform/facts.hpp"
#include "engine/provider/change.hpp"
#include "engine/provider/registry.hpp"
#include "plans/plan.hpp"

namespace fabric::execute {

// A condition that does not hold.
struct Mismatch {
  Condition condition;
  std::string found;     // "1", "absent", "unknown (no Current column)"
  bool unknown = false;  // `found` begins with "unknown"
  // "pve1/settings/cx5 LINK_TYPE_P1 (next_boot): expected 2, found 1"
  std::string text() const;
};

class ConditionJudge {
 public:
  // The arguments must outlive this object.
  ConditionJudge(const std::vector<Resource>& resources, const Registry& registry);

  const platform::HostPlatform& host(Platform platform) const { return registry_.host(platform); }
  // The probes that answer these conditions on a node of this platform, and always those of its
  // identity.
  std::vector<Probe> probes_for(Platform platform, const std::vector<Condition>& conditions) const;
  // The conditions that do not hold, in order. An unknown condition does not hold.
  std::vector<Mismatch> mismatches(
      const std::vector<Condition>& conditions, const NodeFacts& facts) const;
  // Preconditions that do not hold, except where a file already has the action's value: an action
  // that was cut off between two files goes on.
  std::vector<Mismatch> stale(const ActionDraft& draft, const NodeFacts& facts) const;

 private:
  using Group = std::pair<NodeName, std::string>;  // node, kind
  const Registry& registry_;
  std::map<Group, std::vector<const Resource*>> resources_;
};

// The values that a rollback of an action must restore: the running values that the plan found.
// For every running value that the action's read-back wants: the value that was observed when
// `plan` was made, or the same value if the plan does not change it. For a removal that releases a
// device: all of its values that ran. Left out: values that were unknown then. Nothing for a
// reboot: a boot can't be rolled back, and settings of cards stay.
std::vector<Condition> former_values(const plans::Plan& plan, const plans::Action& action);

// For an action whose rollback brings files back: the values that the files gave to the resources
// it covers, when `plan` was made. Values that were unknown then are left out.
std::vector<Condition> former_files(const plans::Plan& plan, const plans::Action& action);

// Tells whether a plan still has work to do on its nodes, as apply would.
// True unless all effects of its actions are there already, by the present readings of the nodes.
// Effects that can't be known, and those on a node that was not reached, count as left.
// `resources`: those that the plan was made from.
bool is_left_to_do(
    const plans::Plan& plan,
    const std::vector<Resource>& resources,
    const Registry& registry,
    const discovery::Snapshot& snapshot);

}  // namespace fabric::execute
