// SPDX-License-Identifier: Apache-2.0
// Checks that actions reported as done are done in the simulated fabric.
#include <algorithm>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "engine/base/check.hpp"
#include "engine/execute/journal/journal_read.hpp"
#include "engine/platform/host_platform.hpp"
#include "engine/rehearse/world.hpp"
#include "engine/remote/shell.hpp"

namespace fabric::rehearse {

namespace {

constexpr std::string_view kNonce = "monitor";
constexpr Duration kNoTimeout{0};  // no time passes

// A platform's probes as work for its machine.
std::optional<lab::Work> work_of(const remote::Step& step) {
  if (const auto* run = std::get_if<remote::step::Run>(&step)) {
    return lab::CommandLine{remote::command_line(run->command.argv), run->command.standard_input};
  }
  if (const auto* talk = std::get_if<remote::step::Converse>(&step)) return *talk;
  return std::nullopt;
}

}  // namespace

void World::check_done(const plans::Action& action, const execute::ConditionJudge& judge) {
  const std::vector<Condition>& wanted = action.draft.postconditions;
  // A host that is down can't be read; its state was right while it was up.
  if (wanted.empty() || lab_.power(action.node) != lab::Power::up) return;
  // The action may have been undone after its read-back.
  const bool is_undone = std::ranges::any_of(
      edits_, [&action](const Edited& each) { return each.node == action.node; });
  if (is_undone) return;
  const Platform platform = platform_of(action.node);
  const platform::HostPlatform& host = scene_.registry.host(platform);
  const std::vector<Probe> probes = judge.probes_for(platform, wanted);
  const remote::Step step = host.probe_step(probes, kNonce, kNoTimeout, false);
  const std::optional<lab::Work> work = work_of(step);
  FABRIC_CHECK(
      work.has_value(), "a platform sends its probes in a step that no machine can perform");
  const lab::ExecResult seen = lab_.look(action.node, *work);
  remote::StepResult result;
  result.output = {seen.exit_status, seen.standard_output, seen.standard_error};
  result.replies = seen.replies;
  platform::ProbeTexts texts;
  auto sections = host.probe_outputs(probes, kNonce, result, texts);
  if (!sections) {
    violation(
        fmt::format("{} can't be looked at: {}", action.node.str(), sections.error().message));
    return;
  }
  NodeFacts facts{action.node, std::nullopt, {}, {}, {}};
  facts.platform = platform;
  facts.probes = std::move(sections).value();
  for (const execute::Mismatch& mismatch : judge.mismatches(wanted, facts)) {
    violation(
        fmt::format("{} is reported as done, and is not: {}", action.draft.title, mismatch.text()));
  }
}

void World::check_durable(const plans::Action& action) {
  const SimulatedPlatform* simulated = scene_.simulated.find(platform_of(action.node));
  for (const std::string& path : lab_.unsynced_files(action.node)) {
    if (simulated != nullptr && simulated->may_be_lost(path)) continue;
    violation(fmt::format(
        "{}: {} is reported as done, and {} would not survive a power cut",
        action.node.str(),
        action.draft.title,
        path));
  }
}

void World::note_run(
    const std::string& run,
    const plans::Plan& plan,
    const std::map<std::string, std::optional<execute::ActionState>>& told) {
  if (plan.actions.empty()) return;
  last_ = plans::UndoneRun{run, plan, {}};
  for (const auto& [id, state] : told) {
    execute::RecordedAction action;
    action.ended = state.has_value();
    action.state = state.value_or(action.state);
    if (action.was_begun() || state == execute::ActionState::already_satisfied)
      last_->begun.insert(id);
  }
}

void World::undo_last() {
  undone_ = std::exchange(last_, std::nullopt);
  scene_.undone = undone_ ? &*undone_ : nullptr;
}

void World::check_journal(
    const std::string& text,
    const std::map<std::string, std::optional<execute::ActionState>>& told) {
  const Result<execute::RunRecord> record = execute::read_journal(text);
  if (!record) return violation("the journal can't be read any more: " + record.error().message);
  for (const auto& each : told) {
    const std::string& id = each.first;
    const std::optional<execute::ActionState>& state = each.second;
    const auto action = std::ranges::find_if(
        record->actions, [&id](const auto& recorded) { return recorded.id == id; });
    const bool is_there =
        action != record->actions.end() && (!state || (action->ended && action->state == *state));
    if (!is_there) violation(fmt::format("the journal has lost events of {}", id));
  }
}

// Part of a simulated fabric: an operator mends the broken parts.

void World::want_all() {
  scene_.limit.clear();
  scene_.unreached.clear();
}

bool World::reboot_own() {
  const auto own = std::ranges::find_if(nodes_, [&](const NodeName& node) {
    return !scene_.own.machine_id.empty() && lab_.identity(node) == scene_.own.machine_id;
  });
  if (own == nodes_.end()) return false;
  note(TraceLine::Kind::host, own->str() + " is rebooted by its operator");
  reboot({*own});
  return true;
}

void World::reboot(const std::set<NodeName>& nodes) {
  for (const NodeName& node : nodes)
    lab_.perform(node, "root", lab::RebootOrder{});
  wait_until_up();
}

std::set<NodeName> World::booted() const {
  std::set<NodeName> nodes;
  for (const auto& [node, boots] : boots_)
    if (boots > 0) nodes.insert(node);
  return nodes;
}

void World::clear_faults() {
  note(TraceLine::Kind::host, "all faults are repaired");
  lab_.set_fault_percent(0);
  watching_.set_host_keys(scene_.host_keys);
  choose_nodes();
  for (const NodeName& node : lab_.nodes()) {
    if (scene_.unreached.contains(node)) continue;
    if (!lab_.set_fault(node, lab::Fault::none)) violation("a fault can't be cleared");
  }
  wait_until_up();
  mend_edits();
}

void World::wait_until_up() {
  // Longer than any boot, slow ones included.
  constexpr Duration kAllUp{3'600'000};
  runner_.start({0, lab_.nodes().front(), remote::step::Pause{kAllUp}});
  while (!runner_.wait_any(kAllUp)) {
  }
}

}  // namespace fabric::rehearse
