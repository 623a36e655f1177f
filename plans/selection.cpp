// SPDX-License-Identifier: Apache-2.0
#include "plans/selection.hpp"

#include <algorithm>
#include <cstddef>
#include <vector>

#include <fmt/format.h>

#include "engine/base/check.hpp"
#include "engine/base/parallel.hpp"
#include "engine/base/secrets/redaction.hpp"
#include "engine/platform/host_platform.hpp"
#include "engine/provider/action_methods.hpp"
#include "engine/provider/written_files.hpp"
#include "plans/reboots.hpp"

namespace fabric::plans {

namespace {

constexpr RuleInfo kSelectionRules[] = {
    {"change-impossible",
     Severity::error,
     RuleStage::plan,
     "The document asks for a change that this card or node does not support.",
     "E-mlxconfig-errors: Mellanox/mstflint, mlxconfig",
     "See the reason in the message."},
    {"rollout-withheld",
     Severity::warning,
     RuleStage::plan,
     "Disturbing this node now would take more out of service than the rollout allows. Nodes that "
     "can't be reached count as down, also outside of --limit, and a ring must not be cut twice. "
     "fabric never reboots the machine that it runs on.",
     "E-unreachable: ansible issue 56265",
     "Bring the nodes back that are down, name those that are known to be down with --offline, or "
     "raise `rollout.max_unavailable`."},
};

// Keeps the text of a file that a person changed after it was read: the plan is stale then.
void expect_as_observed(Candidate& candidate) {
  const auto writes = std::ranges::find_if(candidate.drafts, [](const ActionDraft& draft) {
    return draft.steps.has_writes() || draft.steps.has_removes();
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

// A write for the next boot that activates nothing, because the running value is right, expects
// that value to run still: a boot may have come between.
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

// The file that would be written, now or by a rollback, with a mark in the place of each secret;
// null if there is none.
const std::string* redacted_file(const Candidate& candidate) {
  for (const auto* drafts : {&candidate.drafts, &candidate.done_by_boot}) {
    for (const ActionDraft& draft : *drafts) {
      for (const WorkSteps* steps : {&draft.steps, &draft.undo}) {
        for (const remote::Step& step : *steps) {
          const auto* file = std::get_if<remote::step::WriteFile>(&step);
          if (file != nullptr && file->content.find(kRedacted) != std::string::npos)
            return &file->path;
        }
      }
    }
  }
  return nullptr;
}

// True if the draft writes a value that is kept: no boot does that in its place.
bool writes(const ActionDraft& draft) {
  return std::ranges::any_of(
      draft.postconditions, [](const Condition& each) { return each.layer != Layer::running; });
}

Result<Work> work_of(
    const Candidate& candidate,
    const Provider& provider,
    bool reboot,
    const SelectionInputs& inputs) {
  if (candidate.change.by_record) return Work{candidate.recorded};
  const discovery::ObservedNode& node = inputs.snapshot.nodes.at(candidate.address().node);
  return provider.work(
      candidate.change, {node.facts, node.observations.at(candidate.address()), reboot});
}

void ask_provider(
    Candidate& candidate, bool reboot, const SelectionInputs& inputs, Diagnostics& diagnostics) {
  const ResourceAddress& address = candidate.address();
  const Provider* provider = inputs.registry.find(candidate.change.resource);
  FABRIC_CHECK(provider != nullptr, "a change was planned that no provider can make");
  auto work = work_of(candidate, *provider, reboot, inputs);
  candidate.drafts.clear();
  candidate.done_by_boot.clear();
  if (!work) {
    diagnostics.error("change-impossible", candidate.change.resource.origin, work.error().message);
    return;
  }
  for (ActionDraft& draft : work->actions) {
    FABRIC_CHECK(draft.kind != methods::kReboot, "a provider planned a reboot");
    // The boot activates what was prepared.
    const bool by_boot = reboot && draft.stage == Stage::activate && draft.by_hand.empty() &&
                         (inputs.stage || !writes(draft));
    if (!by_boot) {
      candidate.drafts.push_back(std::move(draft));
    } else if (draft.may_cut_off || !draft.disturbs.empty() || !draft.after_boot.empty()) {
      candidate.done_by_boot.push_back(std::move(draft));
    }
  }
  for (const auto* drafts : {&candidate.drafts, &candidate.done_by_boot}) {
    for (const ActionDraft& draft : *drafts) {
      const std::string why = why_not_written(candidate.change.resource, draft, provider->folders);
      if (why.empty()) continue;
      diagnostics.error(
          "change-impossible",
          candidate.change.resource.origin,
          fmt::format("{}: {}; nothing is written", address.str(), why));
    }
  }
  if (const std::string* file = redacted_file(candidate); file != nullptr) {
    diagnostics.error(
        "change-impossible",
        candidate.change.resource.origin,
        fmt::format(
            "{}: {} holds a secret that fabric did not write and never reads, so a new file would "
            "lose it; move it to a file of its own",
            address.str(),
            *file));
  }
  expect_as_observed(candidate);
  expect_as_running(candidate);
}

bool boots_within(const Candidate& candidate) {
  return std::ranges::any_of(
      candidate.drafts, [](const ActionDraft& draft) { return !draft.boots_in.empty(); });
}

void find_disturbed(const Candidates& candidates, ChosenWork& work) {
  work.disturbed = work.reboots;
  work.away = work.reboots;
  work.undisturbed.clear();
  for (const Candidate& candidate : candidates) {
    if (!candidate.planned()) continue;
    Disruption worst = Disruption::none;
    for (const ActionDraft& draft : candidate.drafts)
      worst = std::max(worst, draft.disruption);
    if (worst >= Disruption::driver) work.away.insert(candidate.address().node);
    const bool disturbs = worst >= Disruption::traffic;
    (disturbs ? work.disturbed : work.undisturbed).insert(candidate.address().node);
  }
  for (const NodeName& node : work.disturbed)
    work.undisturbed.erase(node);
}

bool can_boot(const NodeName& node, const SelectionInputs& inputs) {
  const Platform platform = inputs.snapshot.nodes.at(node).facts.platform;
  return inputs.registry.host(platform).boot_proof() != nullptr;
}

bool lacks_boot_id(const NodeName& node, const SelectionInputs& inputs) {
  const auto& snapshot = inputs.snapshot.nodes.at(node);
  const platform::BootProof* proof = inputs.registry.host(snapshot.facts.platform).boot_proof();
  return snapshot.identity.boot_id.empty() && (proof == nullptr || proof->has_boot_id());
}

NodeWithheld why_held(const NodeName& node, const ChosenWork& work, const SelectionInputs& inputs) {
  NodeWithheld held =
      why_withheld(node, inputs.down, inputs.apart, inputs.rollout, inputs.not_forwarding);
  if (held.why.empty() && work.reboots.contains(node) && lacks_boot_id(node, inputs)) {
    held = {
        "its boot_id can't be read, so no reboot could be proven",
        "make its boot_id readable, then plan again"};
  }
  if (held.why.empty() && work.reboots.contains(node) && !can_boot(node, inputs)) {
    held = {"its platform has no proof that it has booted", "reboot it by hand, then plan again"};
  }
  if (held.why.empty() && inputs.keep_paths != nullptr && work.away.contains(node))
    held = {
        held_by_paths(*inputs.keep_paths, node),
        "write `rollout: {paths_lost: ask}` to be asked for each plan that loses paths"};
  return held;
}

// True if a planned change lost its work.
bool withhold_nodes(
    Candidates& candidates,
    ChosenWork& work,
    const SelectionInputs& inputs,
    Diagnostics& diagnostics) {
  std::map<NodeName, NodeWithheld> held;
  for (const NodeName& node : work.disturbed) {
    NodeWithheld why = why_held(node, work, inputs);
    if (why.why.empty()) continue;
    diagnostics
        .warning(
            "rollout-withheld",
            inputs.rollout_range,
            fmt::format("{} is left as it is: {}", node.str(), why.why))
        .about(node)
        .with_help(why.release);
    held.emplace(node, std::move(why));
  }
  for (Candidate& candidate : candidates) {
    const auto found = held.find(candidate.address().node);
    if (found == held.end() || !candidate.planned()) continue;
    candidate.withhold({.why = Withheld::Why::rollout, .detail = found->second.why});
  }
  work.withheld.insert(held.begin(), held.end());
  return !held.empty();
}

// Withholds work on other nodes that waits for a change that only the boot of this machine makes.
bool block_behind_own(Candidates& candidates, const SelectionInputs& inputs) {
  std::map<ResourceAddress, std::size_t> of_own;
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    if (candidates[i].address().node == inputs.own) of_own.emplace(candidates[i].address(), i);
  }
  std::map<ResourceAddress, std::size_t> index_of;
  for (std::size_t i = 0; i < inputs.resources.size(); ++i)
    index_of.emplace(inputs.resources.at(i).address, i);
  bool blocked = false;
  for (Candidate& candidate : candidates) {
    const auto index = index_of.find(candidate.address());
    if (!candidate.planned() || candidate.address().node == inputs.own || index == index_of.end())
      continue;
    for (const std::size_t before : inputs.resources.before(index->second)) {
      const ResourceAddress& address = inputs.resources.at(before).address;
      if (!of_own.contains(address)) continue;
      candidate.withhold({.why = Withheld::Why::waits, .on = address});
      blocked = true;
      break;
    }
  }
  return blocked;
}

// Leaves out the reboot of this machine: only its operator may take it down.
bool leave_own_reboot(ChosenWork& work, const SelectionInputs& inputs) {
  if (!inputs.own) return false;
  const auto held = work.withheld.find(*inputs.own);
  if (held != work.withheld.end() && held->second.own_machine) work.withheld.erase(held);
  if (work.reboots.erase(*inputs.own) == 0) return false;
  const Platform platform = inputs.snapshot.nodes.at(*inputs.own).facts.platform;
  const platform::BootProof* proof = inputs.registry.host(platform).boot_proof();
  work.withheld[*inputs.own] = {
      withheld_text({.why = Withheld::Why::own_machine}),
      fmt::format(
          "{} on {} when it may go down, then plan again",
          proof == nullptr ? "reboot"
                           : fmt::format("`{}`", fmt::join(proof->reboot_command(), " ")),
          inputs.own->str()),
      true};
  return true;
}

// Drops changes whose value this machine already has for its next boot.
void end_own(
    Candidates& candidates,
    const NodeWithheld& held,
    const SelectionInputs& inputs,
    Diagnostics& diagnostics) {
  if (!held.own_machine) return;
  diagnostics
      .warning(
          "rollout-withheld",
          inputs.rollout_range,
          fmt::format("{} is not rebooted: {}", inputs.own->str(), held.why))
      .about(*inputs.own)
      .with_help(held.release);
  for (Candidate& candidate : candidates) {
    if (candidate.address().node == inputs.own && candidate.planned() && candidate.drafts.empty())
      candidate.withheld = Withheld{.why = Withheld::Why::own_machine};
  }
}

void ask_providers(
    Candidates& candidates,
    const std::set<NodeName>& reboots,
    bool own_waits,
    const SelectionInputs& inputs,
    Diagnostics& diagnostics) {
  std::vector<std::vector<Diagnostic>> said(candidates.size());
  for_each_index(candidates.size(), [&](std::size_t index) {
    Candidate& candidate = candidates[index];
    if (!candidate.planned()) return;
    const NodeName& node = candidate.address().node;
    const bool staged = inputs.stage || (own_waits && node == inputs.own);
    Diagnostics found;
    const About about{found, node};
    ask_provider(candidate, staged || reboots.contains(node), inputs, found);
    if (!found.empty()) said[index] = found.take_items();
    if (inputs.stage && candidate.drafts.empty())
      candidate.withheld = Withheld{.why = Withheld::Why::staged};
    if (staged && boots_within(candidate)) candidate.withhold({.why = Withheld::Why::many_boots});
  });
  for (std::vector<Diagnostic>& each : said) {
    for (Diagnostic& diagnostic : each)
      diagnostics.add(std::move(diagnostic));
  }
}

// Adds to the text of what this plan does before the next round; other work stands first.
void announce_round(Candidates& candidates, ChosenWork& work, const std::string& after) {
  work.next_round += (work.next_round.empty() ? "" : ", ") + after;
  for (Candidate& each : candidates) {
    if (each.withheld && each.withheld->why == Withheld::Why::next_round)
      each.withheld->detail = work.next_round;
  }
}

// A node is changed in one block, so two nodes may have to wait for each other, for example a host
// of which one port gets a larger MTU and another a smaller one. The waiting change is then planned
// in the next round. If possible, that is the carrier, whose larger MTU does no harm until then.
bool leave_circle(Candidates& candidates, ChosenWork& work, const ResourceIndex& resources) {
  if (!resources.has_order()) return false;
  std::vector<Candidate*> planned(resources.size(), nullptr);
  auto candidate = candidates.begin();
  for (std::size_t index = 0; index < resources.size() && candidate != candidates.end(); ++index) {
    if (candidate->address() != resources.at(index).address) continue;
    if (candidate->planned()) planned[index] = &*candidate;
    ++candidate;
  }
  std::vector<Candidate*> waiting;
  std::string first;
  for (const NodeEdge& edge : cycle_of(node_order(candidates, resources, work.reboots).edges)) {
    std::vector<Candidate*> here;
    for (std::size_t index = 0; index < resources.size(); ++index) {
      if (planned[index] == nullptr || resources.at(index).address.node != edge.after) continue;
      const std::vector<std::size_t>& before = resources.before(index);
      const bool waits = std::ranges::any_of(before, [&](std::size_t each) {
        return planned[each] != nullptr && resources.at(each).address.node == edge.before &&
               resources.is_for_order(each, index);
      });
      if (waits) here.push_back(planned[index]);
    }
    const bool carries = !here.empty() && is_switch(here.front()->change.resource.platform);
    if (here.empty() || (!waiting.empty() && !carries)) continue;
    waiting = std::move(here);
    first = edge.before.str();
  }
  if (waiting.empty()) return false;
  for (Candidate* each : waiting)
    each->withhold({.why = Withheld::Why::next_round});
  announce_round(candidates, work, "the MTU of " + first);
  return true;
}

}  // namespace

RuleRows selection_rules() {
  return kSelectionRules;
}

ChosenWork choose_work(
    Candidates& candidates, const SelectionInputs& inputs, Diagnostics& diagnostics) {
  ChosenWork work;
  judge_by_itself(candidates);
  work.next_round = leave_for_next_round(candidates);
  block_dependants(candidates, inputs.resources);
  // A change that is held back can block others, and a blocked change can make a reboot needless:
  // repeats until no further change is held back.
  for (bool again = true; again;) {
    if (!inputs.stage) work.reboots = nodes_to_reboot(candidates);
    const bool own_waits = leave_own_reboot(work, inputs);
    if (own_waits && block_behind_own(candidates, inputs))
      block_dependants(candidates, inputs.resources);
    ask_providers(candidates, work.reboots, own_waits, inputs, diagnostics);
    find_disturbed(candidates, work);
    if (diagnostics.has_errors()) return work;
    again = withhold_nodes(candidates, work, inputs, diagnostics) ||
            leave_circle(candidates, work, inputs.resources);
    if (again) block_dependants(candidates, inputs.resources);
  }
  if (const std::string boots = leave_for_boots(candidates, work.reboots); !boots.empty())
    announce_round(candidates, work, boots);
  if (inputs.own && work.withheld.contains(*inputs.own))
    end_own(candidates, work.withheld.at(*inputs.own), inputs, diagnostics);
  return work;
}

}  // namespace fabric::plans
