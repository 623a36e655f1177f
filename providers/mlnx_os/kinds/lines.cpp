// SPDX-License-Identifier: Apache-2.0
#include "providers/mlnx_os/kinds/lines.hpp"

#include <fmt/format.h>

#include "engine/base/text.hpp"
#include "engine/provider/action_methods.hpp"

namespace fabric::providers::onyx {

namespace {

std::vector<Condition> read_back(const Change& change, Layer layer) {
  std::vector<Condition> conditions;
  for (const AttributeChange& each : change.attributes) {
    if (!(layer == Layer::running ? each.activate : each.observed.persistent.has_value())) continue;
    conditions.push_back({change.resource.address, each.attribute, layer, each.desired});
  }
  return conditions;
}

}  // namespace

Work work_of(std::string title, const Typed& typed, const Change& change, bool may_cut_off) {
  Work work;
  if (!typed.done.empty()) {
    ActionDraft draft;
    draft.kind = methods::kOnyxConfigure;
    draft.title = std::move(title);
    draft.stage = Stage::activate;
    draft.disruption = change.disruption();
    draft.steps.converse(typed.done);
    draft.undo.converse(typed.undone);
    if (typed.undone.empty()) draft.irreversible = "the former value is not known";
    draft.postconditions = read_back(change, Layer::running);
    draft.may_cut_off = may_cut_off;
    work.actions.push_back(std::move(draft));
  }
  ActionDraft save;
  save.kind = methods::kConfigurationSave;
  save.title = "save the configuration";
  save.stage = Stage::activate;
  save.steps.converse({"configuration write"});
  save.irreversible = "the former value for the next boot was not recorded";
  save.postconditions = read_back(change, Layer::persistent);
  if (save.postconditions.empty()) save.postconditions = read_back(change, Layer::running);
  work.actions.push_back(std::move(save));
  return work;
}

Error not_in_force(const Change& change) {
  std::vector<std::string> said;
  for (const AttributeChange& each : change.attributes) {
    if (each.activate && each.observed.running)
      said.push_back(fmt::format("{} is {}", each.attribute, each.observed.running->text()));
  }
  return {
      ErrorCode::invalid,
      fmt::format(
          "{}: it is configured, but the switch does not run with it ({})",
          change.resource.address.str(),
          fmt::join(said, ", "))};
}

}  // namespace fabric::providers::onyx
