// SPDX-License-Identifier: Apache-2.0
#include "engine/execute/journal/former_run.hpp"

#include <algorithm>
#include <iterator>

#include "engine/provider/action_methods.hpp"

namespace fabric::execute {

FormerRun former_run(const RunRecord& record, const plans::Plan& plan) {
  FormerRun former{record.run};
  std::map<std::string, const RecordedAction*> recorded;
  for (const RecordedAction& each : record.actions)
    recorded.emplace(each.id, &each);
  std::set<NodeName> unfinished;
  for (const plans::Action& action : plan.actions) {
    const auto found = recorded.find(action.id);
    const RecordedAction* said = found == recorded.end() ? nullptr : found->second;
    const bool is_done =
        said != nullptr && said->ended &&
        (said->state == ActionState::done || said->state == ActionState::already_satisfied);
    if (!is_done) unfinished.insert(action.node);
    if (said != nullptr && !said->ended && said->put_off)
      former.put_off.emplace(action.node, *said->put_off);
    if (action.draft.kind == methods::kHookBefore) former.done.insert(action.node);
  }
  for (const NodeName& node : unfinished)
    former.done.erase(node);
  return former;
}

void confirm(
    FormerRun& former, const std::set<NodeName>& in_force, const std::set<NodeName>& known) {
  std::erase_if(former.done, [&](const NodeName& node) { return !in_force.contains(node); });
  std::set_intersection(
      former.done.begin(),
      former.done.end(),
      known.begin(),
      known.end(),
      std::inserter(former.known, former.known.end()));
}

}  // namespace fabric::execute
