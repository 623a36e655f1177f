// SPDX-License-Identifier: Apache-2.0
// Conditions: the probes that they need, and whether they hold.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "engine/model/resource.hpp"
#include "engine/platform/facts.hpp"
#include "engine/provider/change.hpp"
#include "engine/provider/registry.hpp"

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

}  // namespace fabric::execute
