// SPDX-License-Identifier: Apache-2.0
#include "plans/reboots.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>

#include <fmt/format.h>

#include "engine/base/check.hpp"
#include "engine/base/parallel.hpp"
#include "engine/provider/action_methods.hpp"
#include "engine/provider/disruption_hooks.hpp"

namespace fabric::plans {

namespace {

bool forces_reboot(const AttributeChange& attribute) {
  return attribute.activate && attribute.disruption >= Disruption::reboot;
}

// "LINK_TYPE_P1=2 HOST_CHAINING_MODE=1 (cx5)"
std::string forcing_text(const Change& change) {
  std::string text;
  for (const AttributeChange& attribute : change.attributes) {
    if (!forces_reboot(attribute)) continue;
    text += fmt::format("{}={} ", attribute.attribute, to_text(attribute.desired));
  }
  return text.empty() ? text : fmt::format("{}({})", text, change.resource.address.name);
}

// The condition for a removed resource is that no file makes it again. The document does not say
// what the kernel shows then: a port without addresses, or the default of a sysctl.
void add_conditions(const Change& change, ActionDraft& draft) {
  const ResourceAddress& address = change.resource.address;
  const bool goes = change.kind == ChangeKind::remove;
  for (const AttributeChange& attribute : change.attributes) {
    if (!attribute.activate) continue;
    for (const Layer layer : {Layer::next_boot, Layer::persistent}) {
      if (!attribute.observed.layer(layer)) continue;
      draft.preconditions.push_back({address, attribute.attribute, layer, attribute.desired});
      if (goes) draft.postconditions.push_back(draft.preconditions.back());
    }
    if (goes) continue;
    draft.postconditions.push_back(
        {address, attribute.attribute, Layer::running, attribute.desired});
  }
}

// The document author's command runs on the machine that fabric runs on, and drives a cluster
// manager or a BMC.
void add_reboot_command(
    Action& action, const platform::HostPlatform& host, const RolloutSpec& rollout) {
  if (rollout.reboot_command.value.empty()) {
    action.draft.steps.run(host.boot_proof()->reboot_command());
  } else {
    const std::vector<std::string>& words = rollout.reboot_command.value;
    action.draft.steps.here(given({words.begin(), words.end()}, action.node));
  }
}

}  // namespace

std::set<NodeName> nodes_to_reboot(const Candidates& candidates) {
  std::set<NodeName> nodes;
  for (const Candidate& candidate : candidates) {
    if (candidate.planned() && candidate.change.disruption() >= Disruption::reboot) {
      nodes.insert(candidate.address().node);
    }
  }
  return nodes;
}

Action boot_within(
    const ActionDraft& draft,
    const ResourceAddress& address,
    const platform::HostPlatform& host,
    const RolloutSpec& rollout) {
  FABRIC_CHECK(host.boot_proof() != nullptr, "a reboot that could not be proven");
  Action action{.node = address.node};
  action.sequence = draft.boots_in;
  action.covers = {address};
  action.draft.kind = methods::kReboot;
  action.draft.title =
      fmt::format("reboot {} within '{}': {}", address.node.str(), draft.boots_in, draft.title);
  action.draft.stage = Stage::activate;
  action.draft.disruption = Disruption::reboot;
  action.draft.irreversible = "a reboot is not rolled back";
  action.draft.preconditions = draft.postconditions;
  action.draft.postconditions = draft.after_boot;
  action.reboot.up = rollout.reboot_timeout.value;
  add_reboot_command(action, host, rollout);
  return action;
}

Action reboot_action(
    const NodeName& node,
    const std::vector<const Change*>& changes,
    const platform::HostPlatform& host,
    const RolloutSpec& rollout) {
  FABRIC_CHECK(host.boot_proof() != nullptr, "a reboot that could not be proven");
  Action action{.node = node};
  ActionDraft& draft = action.draft;
  std::vector<std::string> forcing;
  for (const Change* change : changes) {
    FABRIC_CHECK(change->resource.address.node == node, "a reboot covers its own node only");
    if (std::string text = forcing_text(*change); !text.empty()) forcing.push_back(std::move(text));
    const std::size_t before = draft.postconditions.size();
    if (!change->by_record) add_conditions(*change, draft);
    if (change->by_record || draft.postconditions.size() > before)
      action.covers.push_back(change->resource.address);
  }
  draft.preconditions.shrink_to_fit();
  draft.postconditions.shrink_to_fit();
  const bool cold = std::any_of(changes.begin(), changes.end(), [](const Change* change) {
    return change->disruption() == Disruption::power_cycle;
  });
  draft.kind = methods::kReboot;
  draft.title = fmt::format(
      "{} {} to activate {}",
      cold ? "power-cycle" : "reboot",
      node.str(),
      fmt::join(forcing, ", "));
  draft.stage = Stage::activate;
  draft.disruption = cold ? Disruption::power_cycle : Disruption::reboot;
  draft.irreversible = "a reboot is not rolled back";
  action.reboot.up = rollout.reboot_timeout.value;
  if (cold) {
    // The author's command may boot the node warm. The deadline is that of work by hand as well.
    draft.by_hand =
        fmt::format("switch {} off and on again (a warm reboot is not enough)", node.str());
    action.reboot.down = rollout.reboot_timeout.value;
    return action;
  }
  add_reboot_command(action, host, rollout);
  return action;
}

std::vector<std::pair<NodeName, Action>> reboot_actions(
    const ChangesOfNode& changes, const Registry& registry, const RolloutSpec& rollout) {
  const std::vector<ChangesOfNode::value_type> nodes{changes.begin(), changes.end()};
  std::vector<std::optional<Action>> made(nodes.size());
  for_each_index(nodes.size(), [&](std::size_t index) {
    const auto& [node, list] = nodes[index];
    made[index] =
        reboot_action(node, list, registry.host(list.front()->resource.platform), rollout);
  });
  std::vector<std::pair<NodeName, Action>> actions;
  actions.reserve(nodes.size());
  for (std::size_t index = 0; index < nodes.size(); ++index)
    actions.emplace_back(nodes[index].first, *std::move(made[index]));
  return actions;
}

namespace {

// A value that was written for the next boot, now or before, can cut the node off only after that
// boot, and is rolled back only then.
void guard_boot(const ActionDraft& written, const RolloutSpec& rollout, Action& reboot) {
  if (!written.may_cut_off) return;
  ActionDraft& draft = reboot.draft;
  draft.undo = undone_together(draft.undo, written.undo);
  reboot.guard = rollout.confirm_timeout.value;
}

}  // namespace

void follow_boot(const Candidate& candidate, const RolloutSpec& rollout, Action& reboot) {
  const auto expect = [&reboot](const ActionDraft& draft) {
    auto& conditions = reboot.draft.postconditions;
    conditions.insert(conditions.end(), draft.after_boot.begin(), draft.after_boot.end());
  };
  for (const ActionDraft& draft : candidate.drafts) {
    if (draft.stage == Stage::prepare) guard_boot(draft, rollout, reboot);
    if (draft.boots_in.empty()) expect(draft);
  }
  for (const ActionDraft& draft : candidate.done_by_boot) {
    guard_boot(draft, rollout, reboot);
    expect(draft);
  }
}

}  // namespace fabric::plans
