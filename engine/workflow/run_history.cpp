// SPDX-License-Identifier: Apache-2.0
#include "engine/workflow/run_history.hpp"

#include <set>

namespace fabric::workflow {

namespace {

using execute::ActionState;

bool is_good(const execute::RecordedAction& action) {
  return action.ended &&
         (action.state == ActionState::done || action.state == ActionState::already_satisfied);
}

}  // namespace

void RunHistory::add(const execute::RunRecord& record, const plans::Plan& plan) {
  std::map<std::string, const execute::RecordedAction*> ended;
  for (const execute::RecordedAction& action : record.actions)
    ended.emplace(action.id, &action);
  // An action that is not in the journal was not begun.
  std::map<ResourceAddress, bool> is_done;
  std::set<ResourceAddress> begun;
  for (const plans::Action& action : plan.actions) {
    const auto found = ended.find(action.id);
    const bool good = found != ended.end() && is_good(*found->second);
    for (const ResourceAddress& address : action.covers) {
      is_done.try_emplace(address, true).first->second &= good;
      if (found != ended.end() && (good || found->second->was_begun())) begun.insert(address);
    }
  }
  for (const plans::PlannedChange& change : plan.changes) {
    if (change.withheld || !begun.contains(change.address)) continue;
    const bool done = is_done.at(change.address);
    sets_.try_emplace(
        {change.address, change.attribute.attribute},
        LastSet{done ? record.run : std::string{}, change.attribute.desired, plan.stage});
  }
}

const LastSet* RunHistory::find(
    const ResourceAddress& address, const std::string& attribute) const {
  const auto found = sets_.find({address, attribute});
  return found == sets_.end() || found->second.run.empty() ? nullptr : &found->second;
}

}  // namespace fabric::workflow
