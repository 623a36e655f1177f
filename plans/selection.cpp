#include "plans/selection.hpp"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "engine/base/check.hpp"
#include "engine/discovery/identity.hpp"
#include "engine/provider/action_methods.hpp"
#include "plans/reboots.hpp"

namespace fabric::plans {

namespace {

constexpr RuleInfo kRules[] = {
    {"change-impossible",
     Severity::error,
     RuleStage::plan,
     "The document asks for a change that this card or node does not support.",
     "E-mlxconfig-errors: Mellanox/mstflint, mlxconfig",
     "The message says what stands in the way."},
    {"rollout-held-back",
     Severity::warning,
     RuleStage::plan,
     "Disturbing this node now would take more out of service than the rollout allows. Nodes "
     "that can't be reached count as down, and a ring must not be cut twice.",
     "E-unreachable: ansible issue 56265",
     "Bring the nodes back that are down, or raise `rollout.max_unavailable`."},
};

constexpr const char* kStaged =
    "it is as the next boot of the node needs it, and runs from then on";

// Whoever changed a file since it was read keeps what they wrote: the plan is stale then.
void expect_as_observed(Candidate& candidate) {
  const auto writes =
      std::find_if(candidate.drafts.begin(), candidate.drafts.end(), [](const ActionDraft& draft) {
        return !draft.writes.empty() || !draft.removes.empty();
      });
  if (writes == candidate.drafts.end()) return;
  for (const AttributeChange& each : candidate.change.attributes) {
    const std::optional<Reading>& before = each.observed.persistent;
    if (!each.write || !before || before->is_unknown()) continue;
    const Value* value = before->value();
    writes->preconditions.push_back(
        {candidate.address(),
         each.attribute,
         Layer::persistent,
         value == nullptr ? Value{} : *value});
  }
}

// What is set for the next boot because it runs as wanted is no answer to a boot that came between.
void expect_as_running(Candidate& candidate) {
  if (candidate.drafts.empty()) return;
  for (const AttributeChange& each : candidate.change.attributes) {
    const std::optional<Reading>& running = each.observed.running;
    const bool right = running && running->equals(each.desired);
    if (!each.write || each.activate || !each.observed.next_boot || !right) continue;
    candidate.drafts.front().preconditions.push_back(
        {candidate.address(), each.attribute, Layer::running, each.desired});
  }
}

void ask_provider(
    Candidate& candidate, bool reboot, const SelectionInputs& inputs, Diagnostics& diagnostics) {
  const ResourceAddress& address = candidate.address();
  const discovery::ObservedNode& node = inputs.snapshot.nodes.at(address.node);
  const Provider* provider = inputs.registry.find(address.kind);
  FABRIC_CHECK(provider != nullptr, "a change was planned that no provider could observe");
  auto work = provider->work(candidate.change, {node.facts, node.observations.at(address), reboot});
  candidate.drafts.clear();
  candidate.done_by_boot.clear();
  if (!work) {
    diagnostics.error("change-impossible", candidate.change.resource.origin, work.error().message);
    return;
  }
  for (ActionDraft& draft : work->actions) {
    FABRIC_CHECK(draft.kind != methods::kReboot, "a provider planned a reboot");
    // The boot activates what was prepared.
    const bool by_boot = reboot && draft.stage == Stage::activate && draft.by_hand.empty();
    if (!by_boot) {
      candidate.drafts.push_back(std::move(draft));
    } else if (draft.may_cut_off || !draft.disturbs.empty()) {
      candidate.done_by_boot.push_back(std::move(draft));
    }
  }
  expect_as_observed(candidate);
  expect_as_running(candidate);
}

void find_disturbed(const Candidates& candidates, ChosenWork& work) {
  work.disturbed = work.reboots;
  work.undisturbed.clear();
  for (const Candidate& candidate : candidates) {
    if (!candidate.planned()) continue;
    const bool disturbs =
        std::any_of(candidate.drafts.begin(), candidate.drafts.end(), [](const ActionDraft& draft) {
          return draft.disruption >= Disruption::link;
        });
    (disturbs ? work.disturbed : work.undisturbed).insert(candidate.address().node);
  }
  for (const NodeName& node : work.disturbed)
    work.undisturbed.erase(node);
}

std::string why_held(const NodeName& node, const ChosenWork& work, const SelectionInputs& inputs) {
  std::string why = held_back(node, work.down, inputs.apart, inputs.rollout);
  if (why.empty() && work.reboots.contains(node) &&
      discovery::identity_of(inputs.snapshot.nodes.at(node).facts).boot_id.empty()) {
    why = "its boot_id can't be read, so that a reboot could not be proven";
  }
  return why;
}

// True if some planned change lost its work.
bool hold_back(
    Candidates& candidates,
    const ChosenWork& work,
    const SelectionInputs& inputs,
    Diagnostics& diagnostics) {
  std::map<NodeName, std::string> held;
  for (const NodeName& node : work.disturbed) {
    std::string why = why_held(node, work, inputs);
    if (why.empty()) continue;
    diagnostics.warning(
        "rollout-held-back",
        inputs.rollout_range,
        fmt::format("{} is left as it is: {}", node.str(), why));
    held.emplace(node, std::move(why));
  }
  for (Candidate& candidate : candidates) {
    const auto found = held.find(candidate.address().node);
    if (found == held.end() || !candidate.planned()) continue;
    candidate.not_planned = found->second;
    candidate.drafts.clear();
  }
  return !held.empty();
}

}  // namespace

RuleRows selection_rules() {
  return kRules;
}

ChosenWork choose_work(
    Candidates& candidates, const SelectionInputs& inputs, Diagnostics& diagnostics) {
  ChosenWork work;
  for (const auto& [name, node] : inputs.snapshot.nodes) {
    if (!node.facts.reachable()) work.down.insert(name);
  }
  judge_by_itself(candidates);
  block_dependants(candidates, inputs.resources);
  // What is held back can block others, and who is blocked can make a reboot needless: again,
  // until nobody more is held back.
  for (;;) {
    if (!inputs.stage) work.reboots = nodes_to_reboot(candidates);
    for (Candidate& candidate : candidates) {
      if (!candidate.planned()) continue;
      const bool booted = inputs.stage || work.reboots.contains(candidate.address().node);
      ask_provider(candidate, booted, inputs, diagnostics);
      if (inputs.stage && candidate.drafts.empty()) candidate.not_planned = kStaged;
    }
    find_disturbed(candidates, work);
    if (diagnostics.has_errors() || !hold_back(candidates, work, inputs, diagnostics)) return work;
    block_dependants(candidates, inputs.resources);
  }
}

}  // namespace fabric::plans
