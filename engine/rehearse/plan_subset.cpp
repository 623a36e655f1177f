// SPDX-License-Identifier: Apache-2.0
#include "engine/rehearse/plan_subset.hpp"

#include <algorithm>
#include <map>

#include "plans/plan_file.hpp"

namespace fabric::rehearse {

plans::Plan without(
    plans::Plan plan, const std::set<ResourceAddress>& resources, const std::set<NodeName>& nodes) {
  if (resources.empty() && nodes.empty()) return plan;
  const auto is_gone = [&](const ResourceAddress& address) {
    return resources.contains(address) || nodes.contains(address.node);
  };
  std::map<std::string, std::vector<std::string>> instead;  // of an action that is gone
  const auto replace = [&instead](std::vector<std::string>& ids) {
    std::set<std::string> replaced;
    for (const std::string& id : ids) {
      const auto gone = instead.find(id);
      if (gone == instead.end()) {
        replaced.insert(id);
      } else {
        replaced.insert(gone->second.begin(), gone->second.end());
      }
    }
    ids.assign(replaced.begin(), replaced.end());
  };
  // Hooks and gates of health are for the work on their node.
  std::set<NodeName> played, left_out;
  for (const plans::Action& action : plan.actions) {
    const auto& covers = action.covers;
    const bool stays = !std::all_of(covers.begin(), covers.end(), is_gone);
    if (!covers.empty()) (stays ? played : left_out).insert(action.node);
  }
  std::vector<plans::Action> actions;
  for (plans::Action& action : plan.actions) {
    replace(action.needs);
    replace(action.after);
    const bool is_for_others = action.covers.empty();
    std::erase_if(action.covers, is_gone);
    const bool has_none = left_out.contains(action.node) && !played.contains(action.node);
    if (is_for_others ? has_none : action.covers.empty()) {
      instead.emplace(action.id, action.needs);
      continue;
    }
    const auto of_gone = [&](const Condition& condition) {
      return is_gone(condition.address);
    };
    std::erase_if(action.draft.preconditions, of_gone);
    std::erase_if(action.draft.postconditions, of_gone);
    actions.push_back(std::move(action));
  }
  plan.actions = std::move(actions);
  std::erase_if(
      plan.changes, [&](const plans::PlannedChange& change) { return is_gone(change.address); });
  plan.digest = plans::plan_digest(plan);
  return plan;
}

}  // namespace fabric::rehearse
