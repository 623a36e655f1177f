// SPDX-License-Identifier: Apache-2.0
#include "engine/execute/applied_plans.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "engine/execute/lease/read_leases.hpp"
#include "engine/model/node_set_text.hpp"

namespace fabric::execute {

namespace {

using platform::AppliedPlan;

std::vector<NodeName> with_record(const platform::NodePlatforms& nodes) {
  std::vector<NodeName> found;
  for (const auto& [node, host] : nodes) {
    if (host->plan_record() != nullptr) found.push_back(node);
  }
  return found;
}

Result<std::vector<AppliedPlan>> plans_in(
    const platform::PlanRecord& record, const remote::StepResult& result) {
  if (result.outcome != remote::Outcome::succeeded) return result.error;
  return record.plans(result);
}

const AppliedPlan* find(const std::vector<AppliedPlan>& plans, const std::string& digest) {
  const auto found = std::find_if(
      plans.begin(), plans.end(), [&](const AppliedPlan& each) { return each.digest == digest; });
  return found == plans.end() ? nullptr : &*found;
}

// The nodes on which every action was done.
std::vector<NodeName> done_nodes(
    const plans::Plan& plan, const RunResult& result, const platform::NodePlatforms& nodes) {
  std::set<std::string> done;
  for (const ActionResult& each : result.actions) {
    if (each.state == ActionState::done || each.state == ActionState::already_satisfied)
      done.insert(each.id);
  }
  std::set<NodeName> unfinished;
  for (const plans::Action& action : plan.actions) {
    if (!done.contains(action.id)) unfinished.insert(action.node);
  }
  std::vector<NodeName> found = with_record(nodes);
  std::erase_if(found, [&](const NodeName& node) { return unfinished.contains(node); });
  return found;
}

using Answers = std::map<NodeName, Result<std::vector<AppliedPlan>>>;

Answers ask_records(
    const std::vector<NodeName>& asked,
    const platform::NodePlatforms& nodes,
    remote::StepRunner& runner,
    Random& random) {
  Answers answers;
  ask_nodes(
      asked,
      runner,
      random,
      [&](const NodeName& node) { return nodes.at(node)->plan_record()->read(); },
      [&](const NodeName& node, const remote::StepResult& result) -> std::optional<remote::Step> {
        answers.emplace(node, plans_in(*nodes.at(node)->plan_record(), result));
        return std::nullopt;
      });
  return answers;
}

}  // namespace

std::set<NodeName> applied_on(
    const plans::Plan& plan,
    const platform::NodePlatforms& nodes,
    remote::StepRunner& runner,
    Random& random) {
  std::set<NodeName> found;
  for (const auto& [node, answer] : ask_records(with_record(nodes), nodes, runner, random)) {
    if (answer && find(*answer, plan.digest) != nullptr) found.insert(node);
  }
  return found;
}

Result<void> refuse_applied(
    const plans::Plan& plan,
    const platform::NodePlatforms& nodes,
    remote::StepRunner& runner,
    Random& random) {
  const std::vector<NodeName> asked = with_record(nodes);
  if (asked.empty()) return {};
  std::string run;
  for (const auto& [node, answer] : ask_records(asked, nodes, runner, random)) {
    if (!answer) return with_context(answer.error(), node.str());
    const AppliedPlan* found = find(*answer, plan.digest);
    if (found == nullptr) return {};
    run = found->run;
  }
  return Error{
      ErrorCode::stale,
      fmt::format(
          "this plan was applied already, last by the run {}: every action was done on {}; make a "
          "new plan, or repeat this one by --again",
          run,
          fold(asked))};
}

std::vector<NodeName> record_applied(
    const plans::Plan& plan,
    const RunResult& result,
    const std::string& run,
    const platform::NodePlatforms& nodes,
    remote::StepRunner& runner,
    Random& random) {
  const std::vector<NodeName> done = done_nodes(plan, result, nodes);
  std::set<NodeName> writing;
  std::set<NodeName> recorded;
  const auto next = [&](const NodeName& node,
                        const remote::StepResult& answer) -> std::optional<remote::Step> {
    const platform::PlanRecord& record = *nodes.at(node)->plan_record();
    if (writing.contains(node)) {
      const bool is_written =
          answer.outcome == remote::Outcome::succeeded && answer.output.exit_status == 0;
      if (is_written) recorded.insert(node);
      return std::nullopt;
    }
    Result<std::vector<AppliedPlan>> plans = plans_in(record, answer);
    if (!plans) return std::nullopt;
    std::erase_if(*plans, [&](const AppliedPlan& each) { return each.digest == plan.digest; });
    plans->push_back({plan.digest, run});
    writing.insert(node);
    const platform::Fencing* fencing = nodes.at(node)->fencing();
    remote::Step write = record.write(*plans);
    return fencing == nullptr ? std::move(write) : fencing->while_leased(run, std::move(write));
  };
  ask_nodes(
      done,
      runner,
      random,
      [&](const NodeName& node) { return nodes.at(node)->plan_record()->read(); },
      next);
  std::vector<NodeName> missing;
  std::set_difference(
      done.begin(), done.end(), recorded.begin(), recorded.end(), std::back_inserter(missing));
  return missing;
}

}  // namespace fabric::execute
