// SPDX-License-Identifier: Apache-2.0
#include "plans/plan.hpp"

#include <algorithm>

#include "engine/provider/action_methods.hpp"

namespace fabric::plans {

bool Plan::reached_all() const {
  const bool holds = !held_back().empty();
  return std::all_of(nodes.begin(), nodes.end(), [holds](const auto& entry) {
    const PlanNode& node = entry.second;
    return node.reachable || node.offline || (node.outside && !holds);
  });
}

bool Plan::complete() const {
  return summary.unknown == 0 && reached_all();
}

std::vector<NodeName> Plan::held_back() const {
  std::vector<NodeName> held;
  for (const auto& [name, node] : nodes) {
    if (!node.held_back.empty()) held.push_back(name);
  }
  return held;
}

const Action* Plan::find_action(std::string_view id) const {
  const auto found = std::find_if(
      actions.begin(), actions.end(), [&](const Action& action) { return action.id == id; });
  return found == actions.end() ? nullptr : &*found;
}

AwayByWave away_by_wave(const std::vector<Action>& actions) {
  AwayByWave away;
  for (const Action& action : actions) {
    const bool goes =
        action.draft.kind == methods::kReboot || action.draft.disruption >= Disruption::driver;
    if (goes && action.wave != 0) away[action.wave].insert(action.node);
  }
  return away;
}

}  // namespace fabric::plans
