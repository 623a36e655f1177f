// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "engine/discovery/discover.hpp"
#include "engine/execute/action/conditions.hpp"
#include "engine/execute/action/work_run.hpp"
#include "engine/execute/executor.hpp"
#include "engine/provider/file_digests.hpp"

namespace fabric::execute {

namespace {

// The conditions that one node's first writes rely on.
struct Reliance {
  const plans::Action* action = nullptr;
  // The preconditions that must hold now. Those on foreign files always must: no action of the plan
  // changes them for another action.
  bool now = true;
};
using Actions = std::vector<Reliance>;

// Preconditions on what an earlier action of the plan sets hold only later.
std::map<NodeName, Actions> relied_on(const plans::Plan& plan) {
  std::map<NodeName, Actions> nodes;
  std::set<ResourceAddress> touched;
  for (const plans::Action& action : plan.actions) {
    Actions& actions = nodes[action.node];
    const std::vector<Condition>& conditions = action.draft.preconditions;
    const bool relies_on_now = std::ranges::none_of(conditions, [&](const Condition& condition) {
      return touched.contains(condition.address);
    });
    if (relies_on_now || !action.draft.file_preconditions.empty())
      actions.push_back({&action, relies_on_now});
    touched.insert(action.covers.begin(), action.covers.end());
  }
  return nodes;
}

// "" = it is the node that the plan was made for.
std::string other_node(
    const NodeFacts& facts, const plans::PlanNode& node, const ConditionJudge& judge) {
  if (!node.host_key.empty() && !facts.host_key_fingerprint.empty() &&
      facts.host_key_fingerprint != node.host_key) {
    return fmt::format(
        "{} host_key: expected {}, found {}: the plan was made for another machine",
        facts.node.str(),
        node.host_key,
        facts.host_key_fingerprint);
  }
  return other_machine(facts, node, judge.host(node.platform));
}

// Why the plan disturbs the machine that it is applied on, unknown to a plan made elsewhere; "" =
// it does not.
std::string disturbed_own(
    const ExecuteInputs& inputs, const NodeFacts& facts, const ConditionJudge& judge) {
  const plans::PlanNode& node = inputs.plan.nodes.at(facts.node);
  if (node.own || !platform::is_same_machine(judge.host(node.platform).identity(facts), inputs.own))
    return {};
  for (const plans::Action& action : inputs.plan.actions) {
    if (action.node != facts.node || action.draft.disruption < Disruption::link) continue;
    return fmt::format(
        "{} is the machine that fabric runs on now, and the plan was not made on it: it would {}",
        facts.node.str(),
        action.draft.title);
  }
  return {};
}

struct Stale {
  std::string text;
  std::string_view remedy = "plan again";
  bool of_file = false;
};

void judge_node(
    const Actions& actions,
    const NodeFacts& facts,
    const ConditionJudge& judge,
    std::vector<Stale>& stale) {
  for (const Reliance& reliance : actions) {
    const ActionDraft& draft = reliance.action->draft;
    const auto unmet = reliance.now ? judge.stale(draft, facts) : std::vector<Mismatch>{};
    const std::vector<std::string> changed = changed_files(draft, facts);
    if (unmet.empty() && changed.empty()) continue;
    // The change was made already: the action will find that out and do nothing.
    if (!draft.postconditions.empty() && judge.mismatches(draft.postconditions, facts).empty())
      continue;
    for (const std::string& text : changed)
      stale.push_back({text, "plan again", true});
    for (const Mismatch& mismatch : unmet)
      stale.push_back({mismatch.text()});
  }
}

// True if the node shows the state at the end of the plan. For an effect that a later action ends,
// as a drain and its release do, the later one counts.
bool is_in_force(const plans::Plan& plan, const NodeFacts& facts, const ConditionJudge& judge) {
  std::vector<Condition> last;
  for (auto action = plan.actions.rbegin(); action != plan.actions.rend(); ++action) {
    if (action->node != facts.node) continue;
    for (const Condition& each : action->draft.postconditions) {
      const bool is_ended = std::ranges::any_of(last, [&](const Condition& later) {
        return later.address == each.address && later.attribute == each.attribute &&
               later.layer == each.layer;
      });
      if (!is_ended) last.push_back(each);
    }
  }
  return judge.mismatches(last, facts).empty();
}

Error unreachable(const NodeName& node, const Error& failure) {
  return failure.message.starts_with(node.str()) ? failure : with_context(failure, node.str());
}

// A changed file comes first: other differences of the node may follow from it.
Error stale_error(std::vector<Stale> stale) {
  std::stable_partition(stale.begin(), stale.end(), [](const Stale& each) { return each.of_file; });
  std::string text = stale.front().text;
  if (stale.size() > 1) text += fmt::format(" (and {} more)", stale.size() - 1);
  return {ErrorCode::stale, fmt::format("{}; {}", text, stale.front().remedy)};
}

}  // namespace

Result<std::set<NodeName>> check_fresh(const ExecuteInputs& inputs) {
  std::set<NodeName> in_force;
  const std::map<NodeName, Actions> nodes = relied_on(inputs.plan);
  if (nodes.empty()) return in_force;

  const ConditionJudge judge{inputs.resources, inputs.registry};
  platform::NodePlatforms platforms;
  for (const auto& [node, reliance] : nodes)
    platforms.emplace(node, &judge.host(inputs.plan.nodes.at(node).platform));
  std::vector<Condition> all;
  for (const plans::Action& action : inputs.plan.actions) {
    all.insert(all.end(), action.draft.preconditions.begin(), action.draft.preconditions.end());
    all.insert(all.end(), action.draft.postconditions.begin(), action.draft.postconditions.end());
  }
  discovery::ProbesByPlatform probes;
  for (const auto& [node, host] : platforms)
    probes.try_emplace(host->id(), judge.probes_for(host->id(), all));
  discovery::DiscoverOptions options;
  options.parallelism = inputs.limits.at_once;
  std::vector<Stale> stale;
  for (const NodeFacts& facts :
       discovery::discover(platforms, probes, inputs.runner, inputs.random, options)) {
    if (facts.failure) return unreachable(facts.node, *facts.failure);
    if (std::string other = other_node(facts, inputs.plan.nodes.at(facts.node), judge);
        !other.empty()) {
      stale.push_back({std::move(other)});
      continue;
    }
    if (std::string own = disturbed_own(inputs, facts, judge); !own.empty())
      stale.push_back({std::move(own), "make a new plan here"});
    judge_node(nodes.at(facts.node), facts, judge, stale);
    if (inputs.former.done.contains(facts.node) && is_in_force(inputs.plan, facts, judge))
      in_force.insert(facts.node);
  }
  if (!stale.empty()) return stale_error(std::move(stale));
  return in_force;
}

}  // namespace fabric::execute
