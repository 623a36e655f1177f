// SPDX-License-Identifier: Apache-2.0
#include "plans/plan.hpp"

#include <algorithm>

#include "engine/base/check.hpp"
#include "engine/provider/action_methods.hpp"

namespace fabric::plans {

bool Plan::reached_all() const {
  const bool holds = !withheld_nodes().empty();
  return std::all_of(nodes.begin(), nodes.end(), [holds](const auto& entry) {
    const PlanNode& node = entry.second;
    return node.reachable || node.offline || (node.outside && !holds);
  });
}

bool Plan::complete() const {
  return summary.unknown == 0 && reached_all();
}

std::vector<NodeName> Plan::withheld_nodes() const {
  std::vector<NodeName> held;
  for (const auto& [name, node] : nodes) {
    if (!node.withheld.why.empty()) held.push_back(name);
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

std::map<std::string_view, std::string_view> scripts_of(const Plan& plan) {
  std::map<std::string_view, std::string_view> scripts;
  for (const Action& action : plan.actions) {
    for (const WorkSteps* steps : {&action.draft.steps, &action.draft.undo}) {
      for (const remote::Step& step : *steps) {
        const auto* run = std::get_if<remote::step::Run>(&step);
        if (run == nullptr || !remote::is_script_run(run->command.argv)) continue;
        const remote::Script& script = *run->command.argv[2].script();
        const auto known = scripts.emplace(script.name, script.text).first;
        FABRIC_CHECK(known->second == script.text, "two scripts have one name");
      }
    }
  }
  return scripts;
}

}  // namespace fabric::plans
