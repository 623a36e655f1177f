// SPDX-License-Identifier: Apache-2.0
#include "engine/execute/action/former_values.hpp"

#include <algorithm>

#include "engine/provider/action_methods.hpp"

namespace fabric::execute {

std::vector<Condition> former_values(const plans::Plan& plan, const plans::Action& action) {
  std::vector<Condition> former;
  if (action.draft.kind == methods::kReboot) return former;
  for (Condition condition : action.draft.postconditions) {
    if (condition.layer != Layer::running) continue;
    const auto change = std::find_if(
        plan.changes.begin(), plan.changes.end(), [&condition](const plans::PlannedChange& each) {
          return each.address == condition.address &&
                 each.attribute.attribute == condition.attribute && each.attribute.observed.running;
        });
    if (change != plan.changes.end()) {
      const Reading& running = *change->attribute.observed.running;
      if (running.is_unknown()) continue;
      condition.equals = running.value() == nullptr ? Value{} : *running.value();
    }
    former.push_back(std::move(condition));
  }
  if (action.draft.stage != Stage::activate) return former;
  for (const plans::PlannedChange& change : plan.changes) {
    const auto& running = change.attribute.observed.running;
    const bool removed = change.kind == ChangeKind::remove && running && running->is_known();
    const Condition ran{
        change.address,
        change.attribute.attribute,
        Layer::running,
        removed ? *running->value() : Value{}};
    const auto& covers = action.covers;
    if (!removed || std::find(covers.begin(), covers.end(), change.address) == covers.end())
      continue;
    if (std::find(former.begin(), former.end(), ran) == former.end()) former.push_back(ran);
  }
  return former;
}

std::vector<Condition> former_files(const plans::Plan& plan, const plans::Action& action) {
  std::vector<Condition> former;
  const ActionDraft& draft = action.draft;
  if (!draft.undo.changes_files()) return former;
  for (const plans::PlannedChange& change : plan.changes) {
    const auto& said = change.attribute.observed.persistent;
    const auto& covers = action.covers;
    const bool is_covered = std::find(covers.begin(), covers.end(), change.address) != covers.end();
    if (!is_covered || !said || said->is_unknown()) continue;
    former.push_back(
        {change.address,
         change.attribute.attribute,
         Layer::persistent,
         said->value() == nullptr ? Value{} : *said->value()});
  }
  return former;
}

}  // namespace fabric::execute
