// SPDX-License-Identifier: Apache-2.0
#include "engine/execute/left_to_do.hpp"

#include <algorithm>
#include <set>

#include "engine/execute/action/conditions.hpp"

namespace fabric::execute {

bool is_left_to_do(
    const plans::Plan& plan,
    const std::vector<Resource>& resources,
    const Registry& registry,
    const discovery::Snapshot& snapshot) {
  const ConditionJudge judge{resources, registry};
  std::set<ResourceAddress> there;
  for (const plans::Action& action : plan.actions) {
    const std::vector<Condition>& wanted = action.draft.postconditions;
    if (wanted.empty()) continue;
    const auto node = snapshot.nodes.find(action.node);
    if (node == snapshot.nodes.end() || !node->second.facts.reachable()) return true;
    if (!judge.mismatches(wanted, node->second.facts).empty()) return true;
    there.insert(action.covers.begin(), action.covers.end());
  }
  // An action without a readable effect, as a hook or a step on the way, is done with the actions
  // that it is for.
  return std::any_of(plan.actions.begin(), plan.actions.end(), [&there](const auto& action) {
    return std::any_of(action.covers.begin(), action.covers.end(), [&there](const auto& address) {
      return !there.contains(address);
    });
  });
}

}  // namespace fabric::execute
