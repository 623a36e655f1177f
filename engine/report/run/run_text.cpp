// SPDX-License-Identifier: Apache-2.0
#include "engine/report/run/run_text.hpp"

#include <map>
#include <optional>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "engine/base/text.hpp"
#include "engine/model/node_set_text.hpp"
#include "engine/provider/action_methods.hpp"
#include "engine/report/diagnostics/grouping.hpp"

namespace fabric::report {

namespace {

using execute::ActionState;

std::string seconds_of(const std::string& time) {
  const std::size_t dot = time.find('.');
  return dot == std::string::npos ? time : time.substr(0, dot) + "Z";
}

Colour colour_of(const execute::RecordedAction& action) {
  const bool is_good = action.ended && (action.state == ActionState::done ||
                                        action.state == ActionState::already_satisfied);
  return is_good ? Colour::green : Colour::red;
}

}  // namespace

std::string outcome_text(const execute::RunRecord& run) {
  const std::uint64_t good =
      run.count(ActionState::done) + run.count(ActionState::already_satisfied);
  if (run.is_complete()) return fmt::format("applied, {}", count(run.planned, "action"));
  if (run.ended.empty()) return fmt::format("cut short after {} of {} actions", good, run.planned);
  std::string text = fmt::format("{} of {} actions", good, run.planned);
  for (const ActionState state :
       {ActionState::failed,
        ActionState::unknown,
        ActionState::skipped,
        ActionState::not_started}) {
    if (run.count(state) > 0) text += fmt::format(", {} {}", run.count(state), to_string(state));
  }
  return text;
}

Text history_text(const std::vector<execute::RunRecord>& runs) {
  if (runs.empty()) return "no runs here yet\n";
  Text text;
  for (const execute::RunRecord& run : runs) {
    text += compose(
        "{:<21} {:<22} {}{}\n",
        run.started.empty() ? "never began" : seconds_of(run.started),
        run.run,
        run.undoes.empty() ? "" : fmt::format("undoes {}: ", run.undoes),
        run.started.empty() ? "nothing was written" : outcome_text(run));
  }
  return text;
}

Text run_text(const execute::RunRecord& run, const Style& style) {
  Text text = compose(
      "run {} of {}, {} to {}\n\n",
      run.run,
      run.fabric,
      seconds_of(run.started),
      run.ended.empty() ? "at an unknown time" : seconds_of(run.ended));
  for (const execute::RecordedAction& action : run.actions) {
    Text line = compose(
        "{} {}: {}: {}",
        action.id,
        action.node,
        action.ended ? to_string(action.state) : "in flight when the run was cut short",
        action.title);
    if (!action.detail.empty()) line += compose(": {}", action.detail);
    text += paint(style, colour_of(action), wrap(line, style.width, 4)) + "\n";
    for (const std::string_view printed : split_lines(trim(action.output)))
      text += compose("    | {}\n", printed);
  }
  return text + "\n" + outcome_text(run) + "\n";
}

namespace {

using execute::ActionResult;

// "a0007 pve1: write the settings: failed: ..."; where several nodes failed in one way, once:
// "a[0007,0012] pve[1-2]: ...".
Text causes_text(
    const plans::Plan& plan, const std::vector<ActionResult>& results, const Style& style) {
  Diagnostics failed;
  std::vector<std::string> ids;
  for (const ActionResult& result : results) {
    if (result.state != ActionState::failed && result.state != ActionState::unknown) continue;
    const plans::Action* action = plan.find_action(result.id);
    std::string what = action == nullptr ? std::string{} : action->draft.title + ": ";
    what += to_string(result.state);
    if (!result.detail.empty()) what += ": " + result.detail;
    failed.add(
        {Severity::error,
         {},
         {},
         std::move(what),
         {},
         {},
         action == nullptr ? Subject{result.id} : Subject{action->node}});
    ids.push_back(result.id);
  }
  Text text;
  for (const FindingGroup& group :
       style.verbose ? single_findings(failed) : group_findings(failed)) {
    std::vector<std::string> of;
    for (const std::size_t member : group.members)
      of.push_back(ids[member]);
    const SaidByAll said = said_by_all(group, failed);
    const Text line = compose("{} {}: {}", short_set(of), said.who, said.what);
    text += paint(style, Colour::red, wrap(line, style.width, 4)) + "\n";
  }
  return text;
}

// "skipped because of a0007: 6 actions on pve[3-4]"
Text skipped_text(
    const plans::Plan& plan, const std::vector<ActionResult>& results, const Style& style) {
  struct Skipped {
    std::size_t actions = 0;
    std::vector<NodeName> nodes;
  };
  std::map<std::string, Skipped> by_cause;
  for (const ActionResult& result : results) {
    if (result.state != ActionState::skipped) continue;
    Skipped& skipped = by_cause[result.cause];
    ++skipped.actions;
    if (const plans::Action* action = plan.find_action(result.id))
      skipped.nodes.push_back(action->node);
  }
  constexpr std::size_t kCausesShown = 4;
  if (by_cause.size() > kCausesShown && !style.verbose) {
    Skipped all;
    std::vector<std::string> causes;
    for (const auto& [cause, skipped] : by_cause) {
      causes.push_back(cause);
      all.actions += skipped.actions;
      all.nodes.insert(all.nodes.end(), skipped.nodes.begin(), skipped.nodes.end());
    }
    by_cause = {{short_set(causes), std::move(all)}};
  }
  Text text;
  for (const auto& [cause, skipped] : by_cause) {
    const std::string because = cause.empty() ? "skipped" : "skipped because of " + cause;
    text +=
        wrap(
            compose("{}: {} on {}", because, count(skipped.actions, "action"), fold(skipped.nodes)),
            style.width,
            4) +
        "\n";
  }
  return text;
}

// "not started: 6 actions on pve[3-4]"
Text not_started_text(
    const plans::Plan& plan, const std::vector<ActionResult>& results, const Style& style) {
  std::size_t actions = 0;
  std::vector<NodeName> nodes;
  for (const ActionResult& result : results) {
    if (result.state != ActionState::not_started) continue;
    ++actions;
    if (const plans::Action* action = plan.find_action(result.id)) nodes.push_back(action->node);
  }
  if (actions == 0) return {};
  const Text text = compose("not started: {} on {}", count(actions, "action"), fold(nodes));
  return wrap(text, style.width, 4) + "\n";
}

// "the next boot of pve[1-2] brings into force: settings/cx5 LINK_TYPE_P1", of nodes whose boot was
// not begun.
Text armed_text(
    const plans::Plan& plan, const std::vector<ActionResult>& results, const Style& style) {
  using Attribute = std::pair<ResourceAddress, std::string>;
  std::set<NodeName> up;
  std::set<Attribute> kept;
  for (const ActionResult& result : results) {
    const plans::Action* action = plan.find_action(result.id);
    if (action == nullptr) continue;
    const bool is_boot = action->draft.kind == methods::kReboot;
    if (is_boot && result.state >= ActionState::skipped) up.insert(action->node);
    if (result.state > ActionState::already_satisfied) continue;
    for (const Condition& each : action->draft.postconditions)
      if (each.layer != Layer::running) kept.emplace(each.address, each.attribute);
  }
  std::map<NodeName, std::vector<std::string>> waiting;
  for (const plans::PlannedChange& change : plan.changes) {
    const Attribute attribute{change.address, change.attribute.attribute};
    const std::optional<Reading>& running = change.attribute.observed.running;
    if (!up.contains(change.address.node) || !kept.contains(attribute)) continue;
    if (running && running->equals(change.attribute.desired)) continue;
    waiting[change.address.node].push_back(
        fmt::format("{}/{} {}", change.address.kind, change.address.name, attribute.second));
  }
  std::map<std::vector<std::string>, std::vector<NodeName>> alike;
  for (const auto& [node, attributes] : waiting)
    alike[attributes].push_back(node);
  Text text;
  for (const auto& [attributes, nodes] : alike) {
    const Text line =
        compose("the next boot of {} brings into force: {}", fold(nodes), join(attributes, ", "));
    text += wrap(line, style.width, 4) + "\n";
  }
  return text;
}

std::string counts_text(const RunCounts& counts) {
  std::vector<std::string> parts{fmt::format("{} done", counts.done)};
  const auto add = [&parts](std::uint32_t number, std::string_view what) {
    if (number != 0) parts.push_back(fmt::format("{} {}", number, what));
  };
  add(counts.already_satisfied, "already satisfied");
  add(counts.failed, "failed");
  add(counts.unknown, "unknown");
  add(counts.skipped, "skipped");
  add(counts.not_started, "not started");
  return join(parts, ", ");
}

}  // namespace

RunCounts count_states(const std::vector<ActionResult>& results) {
  RunCounts counts;
  for (const ActionResult& result : results) {
    switch (result.state) {
      case ActionState::done:
        ++counts.done;
        break;
      case ActionState::already_satisfied:
        ++counts.already_satisfied;
        break;
      case ActionState::failed:
        ++counts.failed;
        break;
      case ActionState::unknown:
        ++counts.unknown;
        break;
      case ActionState::skipped:
        ++counts.skipped;
        break;
      case ActionState::not_started:
        ++counts.not_started;
        break;
    }
  }
  return counts;
}

Text run_summary(
    const plans::Plan& plan,
    const execute::RunResult& result,
    const std::string& next,
    const Style& style) {
  Text text = causes_text(plan, result.actions, style);
  text += skipped_text(plan, result.actions, style);
  text += not_started_text(plan, result.actions, style);
  text += armed_text(plan, result.actions, style);
  if (!result.lost_nodes.empty()) {
    const Text lost =
        compose("{} did not come back: an operator must look at it", fold(result.lost_nodes));
    text += paint(style, Colour::red, wrap(lost, style.width, 4)) + "\n";
  }
  if (result.cancelled) text += "the run was interrupted; the actions in flight were finished\n";
  if (result.paused)
    text += "the run paused, to be looked at; nothing of the next wave was begun\n";
  text +=
      paint(style, Colour::bold, compose("Apply: {}.", counts_text(count_states(result.actions)))) +
      "\n";
  if (!next.empty()) text += compose("Next: {}\n", next);
  return text;
}

}  // namespace fabric::report
