// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "engine/model/node_set_text.hpp"
#include "engine/workflow/applying.hpp"

namespace fabric::workflow {

namespace {

std::set<NodeName> busy_nodes(const plans::Plan& plan) {
  std::set<NodeName> nodes;
  for (const plans::Action& action : plan.actions)
    nodes.insert(action.node);
  return nodes;
}

void mark_dead(const std::vector<NodeFacts>& facts, Remainder& rest) {
  for (const NodeFacts& node : facts) {
    const auto planned = rest.plan.nodes.find(node.node);
    if (node.reachable() || planned == rest.plan.nodes.end() || !planned->second.reachable)
      continue;
    planned->second.reachable = false;
    planned->second.failure = node.failure->message;
    rest.dead.insert(node.node);
    rest.left_out.emplace(node.node, "it can't be reached: " + node.failure->message);
  }
}

// Nodes that a plan made now would leave alone, and the approved one does not.
void mark_held(const plans::Plan& approved, const plans::Plan& now, Remainder& rest) {
  for (const auto& [name, node] : now.nodes) {
    const auto before = approved.nodes.find(name);
    if (before == approved.nodes.end() || node.withheld.why.empty()) continue;
    if (before->second.withheld.why.empty()) rest.left_out.emplace(name, node.withheld.why);
  }
  std::set<ResourceAddress> covered;
  for (const plans::Action& action : approved.actions)
    covered.insert(action.covers.begin(), action.covers.end());
  for (const plans::PlannedChange& change : now.changes) {
    if (!change.withheld || !covered.contains(change.address)) continue;
    rest.left_out.emplace(
        change.address.node,
        fmt::format(
            "{}/{}: {}",
            change.address.kind,
            change.address.name,
            plans::withheld_text(*change.withheld)));
  }
}

// A node that needs work on a node that is left out is left out too.
void mark_needing(const plans::Plan& approved, Remainder& rest) {
  std::map<std::string_view, const plans::Action*> by_id;
  for (const plans::Action& action : approved.actions)
    by_id.emplace(action.id, &action);
  for (bool found = true; found;) {
    found = false;
    for (const plans::Action& action : approved.actions) {
      if (rest.left_out.contains(action.node)) continue;
      const auto need = std::ranges::find_if(action.needs, [&](const std::string& id) {
        return rest.left_out.contains(by_id.at(id)->node);
      });
      if (need == action.needs.end()) continue;
      const plans::Action& missing = *by_id.at(*need);
      rest.left_out.emplace(
          action.node, fmt::format("it needs '{}' of {}", missing.draft.title, missing.node.str()));
      found = true;
    }
  }
}

// An action that came after a removed one comes after the predecessors of that one.
void drop_actions(Remainder& rest) {
  std::map<std::string, std::set<std::string>> instead;
  std::vector<plans::Action> kept;
  for (plans::Action& action : rest.plan.actions) {
    std::set<std::string> after;
    for (const std::string& id : action.after) {
      const auto gone = instead.find(id);
      if (gone == instead.end()) {
        after.insert(id);
      } else {
        after.insert(gone->second.begin(), gone->second.end());
      }
    }
    if (rest.left_out.contains(action.node)) {
      for (const std::string& id : action.needs) {
        const auto gone = instead.find(id);
        if (gone == instead.end()) {
          after.insert(id);
        } else {
          after.insert(gone->second.begin(), gone->second.end());
        }
      }
      instead.emplace(action.id, std::move(after));
      continue;
    }
    action.after.assign(after.begin(), after.end());
    kept.push_back(std::move(action));
  }
  rest.plan.actions = std::move(kept);
}

std::string first_error(const Diagnostics& diagnostics) {
  for (const Diagnostic& item : diagnostics.items()) {
    if (item.severity == Severity::error) return item.message;
  }
  return "it has errors";
}

}  // namespace

Result<Remainder> without_dead(const ApplyInputs& inputs, const ApplyTools& tools) {
  Remainder rest{inputs.plan, {}, {}};
  std::vector<NodeFacts> facts =
      discover(inputs.desired, inputs.limits, tools.listener, tools.runner, tools.random);
  mark_dead(facts, rest);
  if (rest.dead.empty()) return rest;
  const Planned now = make_plan(inputs.desired, std::move(facts), tools.host.bind_files());
  if (!now.valid) {
    return Error{
        ErrorCode::stale,
        fmt::format(
            "no plan can be made now, so it is not known which work is possible without {}: {}; "
            "nothing was changed: plan again",
            fold(std::vector<NodeName>{rest.dead.begin(), rest.dead.end()}),
            first_error(now.diagnostics))};
  }
  mark_held(inputs.plan, now.plan, rest);
  mark_needing(inputs.plan, rest);
  const std::set<NodeName> busy = busy_nodes(inputs.plan);
  std::erase_if(rest.left_out, [&](const auto& each) { return !busy.contains(each.first); });
  drop_actions(rest);
  if (rest.plan.actions.empty() && !inputs.plan.actions.empty()) {
    return Error{
        ErrorCode::unreachable,
        "nothing of this plan can be done now, and nothing was changed: " + left_out_text(rest)};
  }
  return rest;
}

std::vector<execute::ActionResult> with_left_out(
    const plans::Plan& approved,
    const Remainder& rest,
    std::vector<execute::ActionResult> results) {
  std::vector<execute::ActionResult> all;
  auto next = results.begin();
  for (const plans::Action& action : approved.actions) {
    if (next != results.end() && next->id == action.id) {
      all.push_back(std::move(*next++));
      continue;
    }
    const auto why = rest.left_out.find(action.node);
    execute::ActionResult result;
    result.id = action.id;
    result.state = execute::ActionState::skipped;
    if (why != rest.left_out.end())
      result.detail = fmt::format("{} is left out: {}", action.node.str(), why->second);
    all.push_back(std::move(result));
  }
  return all;
}

std::string left_out_text(const Remainder& rest) {
  std::map<std::string, std::vector<NodeName>> nodes;
  for (const auto& [node, why] : rest.left_out)
    nodes[why].push_back(node);
  std::string text;
  for (const auto& [why, of] : nodes) {
    text += fmt::format(
        "{}{} {} left out: {}",
        text.empty() ? "" : "; ",
        fold(of),
        of.size() == 1 ? "is" : "are",
        why);
  }
  if (text.empty()) {
    text = fmt::format(
        "{} can't be reached, and this plan does nothing there",
        fold(std::vector<NodeName>{rest.dead.begin(), rest.dead.end()}));
  }
  return text;
}

}  // namespace fabric::workflow
