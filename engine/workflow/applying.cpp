// SPDX-License-Identifier: Apache-2.0
#include "engine/workflow/applying.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "engine/execute/applied_plans.hpp"
#include "engine/execute/crash_recovery.hpp"
#include "engine/model/node_set_text.hpp"
#include "engine/workflow/verifying.hpp"

namespace fabric::workflow {

namespace {

using execute::Verification;

// The nodes that the plan writes to, sorted.
platform::NodePlatforms nodes_with_actions(const plans::Plan& plan, const Registry& registry) {
  platform::NodePlatforms nodes;
  for (const plans::Action& action : plan.actions)
    nodes.emplace(action.node, &registry.host(plan.nodes.at(action.node).platform));
  return nodes;
}

// The reached nodes on which the plan has no work.
platform::NodePlatforms idle_nodes(const plans::Plan& plan, const Registry& registry) {
  const platform::NodePlatforms busy = nodes_with_actions(plan, registry);
  platform::NodePlatforms idle;
  for (const auto& [name, node] : plan.nodes) {
    if (node.reachable && !busy.contains(name)) idle.emplace(name, &registry.host(node.platform));
  }
  return idle;
}

void tell(Listener& listener, const std::vector<execute::OrphanGuard>& disarmed) {
  for (const execute::OrphanGuard& guard : disarmed) {
    listener.note(fmt::format(
        "{}: the rollback timer that a run left when it was cut short is disarmed ({})",
        guard.node.str(),
        guard.holder));
  }
}

// Reports locks that could not be given up.
void tell_locked(Listener& listener, const std::vector<NodeName>& left) {
  if (left.empty()) return;
  listener.problem(fmt::format(
      "the lock of {} could not be given up: it ends by itself within {}, and the next apply from "
      "this machine takes it over at once",
      fold(left),
      format_duration(execute::LeaseTerms{}.length)));
}

execute::LeaseTerms lease_terms(const ApplyInputs& in, ControlHost& host, const std::string& run) {
  const auto has_ended = [&host](const execute::LeaseHolder& holder) {
    return host.has_ended(holder);
  };
  return {host.holder(run), execute::LeaseTerms{}.length, has_ended, in.limits.timeout};
}

// The other nodes are settled when they are locked.
Result<void> settle_idle_nodes(
    const ApplyInputs& inputs, const ApplyTools& tools, const std::string& run) {
  Listener& listener = tools.listener;
  listener.phase("cleaning up after ended runs");
  const execute::Settled settled = FABRIC_TRY(execute::settle_idle(
      idle_nodes(inputs.plan, inputs.desired.registry),
      lease_terms(inputs, tools.host, run),
      tools.runner,
      tools.random));
  tell(listener, settled.disarmed);
  if (!settled.unlocked.empty())
    listener.note(fold(settled.unlocked) + ": released the lock of a run that was cut short");
  tell_locked(listener, settled.still_locked);
  for (const auto& [node, error] : settled.not_asked) {
    listener.problem(fmt::format(
        "{} did not say whether a rollback timer is armed there: {}", node.str(), error.message));
  }
  return {};
}

// Returns the parts of the resumed run's journal that hold on the nodes. REQUIRES: the leases are
// held.
Result<execute::FormerRun> settle_and_check(
    const execute::ExecuteInputs& execution,
    bool only_once,
    execute::Leases& leases,
    Listener& listener) {
  listener.phase("cleaning up after ended runs");
  const std::vector<execute::OrphanGuard> disarmed = FABRIC_TRY(execute::settle_locked(
      nodes_with_actions(execution.plan, execution.registry), leases, execution.random));
  tell(listener, disarmed);
  listener.phase("checking that the plan is fresh");
  if (only_once) {
    FABRIC_TRY(execute::refuse_applied(
        execution.plan,
        nodes_with_actions(execution.plan, execution.registry),
        execution.runner,
        execution.random));
  }
  const std::set<NodeName> in_force = FABRIC_TRY(execute::check_fresh(execution));
  execute::FormerRun former = execution.former;
  if (former.done.empty()) return former;
  const std::set<NodeName> known = execute::applied_on(
      execution.plan,
      nodes_with_actions(execution.plan, execution.registry),
      execution.runner,
      execution.random);
  execute::confirm(former, in_force, known);
  return former;
}

// The first write is still to come.
Error nothing_done(Error error) {
  if (error.code != ErrorCode::unreachable) return error;
  error.message +=
      "; nothing was changed. Plan again: a new plan leaves out the nodes that can't be reached "
      "and counts them as down. Or continue this plan without them: --skip-unreachable";
  return error;
}

// REQUIRES: the leases are held.
void record(
    const plans::Plan& approved,
    const execute::ExecuteInputs& execution,
    const execute::RunResult& result,
    Listener& listener) {
  const std::vector<NodeName> missing = execute::record_applied(
      approved,
      result,
      execution.run,
      nodes_with_actions(execution.plan, execution.registry),
      execution.runner,
      execution.random);
  if (missing.empty()) return;
  listener.problem(fmt::format(
      "{} could not record that the plan was done there, so the plan file can be applied once more",
      fold(missing)));
}

Result<execute::RunResult> execute_locked(
    const plans::Plan& approved,
    const execute::ExecuteInputs& execution,
    bool only_once,
    execute::Leases& leases,
    Listener& listener,
    execute::Journal& journal) {
  listener.phase("locking");
  if (Result<void> locked = leases.take(); !locked) return nothing_done(locked.error());
  const Result<execute::FormerRun> ready = settle_and_check(execution, only_once, leases, listener);
  execute::RunResult result;
  listener.phase("applying");
  // The journal comes first: an announced event must be on disk before anyone hears of it.
  if (ready) {
    execute::ExecuteInputs confirmed = execution;
    confirmed.former = *ready;
    result = execute::execute(confirmed, {&journal, &listener});
    record(approved, execution, result, listener);
  }
  listener.phase("unlocking");
  tell_locked(listener, leases.release());
  if (!ready) return nothing_done(ready.error());
  if (!journal.health())
    listener.problem(
        "the journal could not be written, so the run was stopped: " +
        journal.health().error().message);
  return result;
}

std::set<NodeName> canaries(const FabricSpec& spec) {
  std::set<NodeName> names;
  for (const Sourced<std::string>& each : spec.rollout.canary) {
    if (const NodeSpec* node = spec.find_node(each.value); node != nullptr)
      names.insert(node->name);
  }
  return names;
}

// `approved`: the plan that is kept for the run, so that all of it can be resumed.
Result<execute::RunResult> execute_journaled(
    const plans::Plan& approved,
    const ApplyInputs& inputs,
    const std::set<NodeName>& dead,
    const ApplyTools& tools,
    const std::string& run) {
  Listener& listener = tools.listener;
  const std::unique_ptr<OpenRun> record = FABRIC_TRY(tools.host.begin_run(run, approved));
  execute::DurableSink sink{record->journal()};
  execute::Journal journal{sink, tools.runner.clock()};
  const std::vector<Resource> resources = planned_resources(inputs.desired, inputs.plan);
  execute::Leases leases{
      lease_terms(inputs, tools.host, run),
      nodes_with_actions(inputs.plan, inputs.desired.registry),
      tools.runner,
      tools.random};
  bool told = false;
  const FabricSpec& spec = inputs.desired.spec;
  const execute::ExecuteInputs execution{
      .plan = inputs.plan,
      .resources = resources,
      .registry = inputs.desired.registry,
      .runner = tools.runner,
      .random = tools.random,
      .limits =
          {.at_once = inputs.limits.parallelism,
           .max_failures = spec.rollout.max_failures.value,
           .max_unavailable = spec.rollout.max_unavailable.value,
           .on_error = inputs.on_error,
           .domains = FailureDomains{spec},
           .canaries = canaries(spec),
           .pause_after = inputs.pause_after,
           .down = dead},
      .run = run,
      .interrupted =
          [&] {
            listener.tick();
            const bool interrupted = record->interrupted();
            if (interrupted && !told) {
              told = true;
              listener.note(
                  "interrupted: finishing the actions in flight; a second interrupt stops at once");
            }
            return interrupted || !journal.health();
          },
      .leases = &leases,
      .own = inputs.desired.own,
      .patience = spec.rollout.patience.value,
      .former = inputs.former};
  return execute_locked(approved, execution, inputs.only_once, leases, listener, journal);
}

std::vector<NodeName> nodes_with_changes(const plans::Plan& plan) {
  std::vector<NodeName> nodes;
  for (const plans::PlannedChange& change : plan.changes) {
    if (nodes.empty() || nodes.back() != change.address.node) nodes.push_back(change.address.node);
  }
  return nodes;
}

// The promise of `--stage`: nothing is left to be written, and no running value was changed.
Verification staged(Listener& listener, const Planned& second) {
  if (!second.valid || !second.plan.actions.empty()) {
    listener.problem("not everything could be staged: `fabric plan --stage` shows the rest");
    return Verification::failed;
  }
  const std::vector<NodeName> waiting = nodes_with_changes(second.plan);
  listener.note(
      waiting.empty() ? "nothing waits for a boot"
                      : "staged: the changes take effect at the next boot of " + fold(waiting));
  return Verification::passed;
}

// The second plan contains nothing except changes that the first plan has withheld.
bool is_only_withheld(const plans::Plan& first, const plans::Plan& second) {
  return std::all_of(second.changes.begin(), second.changes.end(), [&](const auto& change) {
    const auto node = first.nodes.find(change.address.node);
    return node != first.nodes.end() && !node->second.withheld.why.empty();
  });
}

// Differences on nodes that are never changed are part of a plan, and no work that an apply has
// left undone.
bool is_only_observed(const plans::Plan& plan, const FabricSpec& spec) {
  if (!plan.actions.empty()) return false;
  return std::all_of(plan.changes.begin(), plan.changes.end(), [&](const auto& change) {
    const auto node = spec.nodes.find(change.address.node);
    return node != spec.nodes.end() && node->second.state.value == NodeState::observe;
  });
}

// The work that is left for another plan, and what that plan waits for.
void tell_left(Listener& listener, const plans::Plan& plan) {
  for (const NodeName& name : plan.withheld_nodes()) {
    const plans::PlanNode& node = plan.nodes.at(name);
    listener.note(fmt::format(
        "{} is not done: {}; to continue: {}",
        name.str(),
        node.withheld.why,
        node.withheld.release));
  }
  listener.note("verify is left out until this work is done");
}

// The wire proves nothing about a plan for some of the nodes, because their cables lead to the
// others.
bool is_wire_right(const ApplyInputs& inputs, const ApplyTools& tools, const Planned& second) {
  const auto& [host, listener, runner, random] = tools;
  if (inputs.desired.undone != nullptr) {
    listener.note(
        "verify is left out, because the document does not say how the fabric was before the run");
    return true;
  }
  if (!inputs.plan.limit.empty()) {
    listener.note(
        "verify is left out, because the plan covers only some nodes; `fabric verify` judges the "
        "whole fabric");
    return true;
  }
  verify::WireEvidence wire =
      read_wire(listener, inputs.desired, &second.snapshot, {{true, {}}}, &runner);
  verify::Report report = verify_now(
      listener,
      {inputs.desired.spec,
       second.snapshot,
       second.diagnostics,
       inputs.desired.registry,
       inputs.desired.resources},
      runner,
      {},
      std::move(wire),
      random);
  // A cable that cannot be judged is no fault of the changes that were applied.
  for (Diagnostic& finding : report.findings) {
    if (verify::is_incomplete(finding)) finding.severity = Severity::warning;
  }
  listener.verified(report);
  return report.ok();
}

Result<execute::RunResult> execute_rest(
    const ApplyInputs& inputs,
    const Remainder& rest,
    const ApplyTools& tools,
    const std::string& run) {
  tools.listener.note(left_out_text(rest));
  const ApplyInputs reduced{
      .desired = inputs.desired,
      .plan = rest.plan,
      .plan_complete = false,
      .on_error = inputs.on_error,
      .limits = inputs.limits,
      .only_once = inputs.only_once,
      .pause_after = inputs.pause_after,
      .former = inputs.former};
  FABRIC_TRY(settle_idle_nodes(reduced, tools, run));
  execute::RunResult result;
  if (!rest.plan.actions.empty()) {
    FABRIC_TRY(tools.host.check_copies(rest.plan));
    result = FABRIC_TRY(execute_journaled(inputs.plan, reduced, rest.dead, tools, run));
  }
  result.actions = with_left_out(inputs.plan, rest, std::move(result.actions));
  result.dead_nodes.assign(rest.dead.begin(), rest.dead.end());
  tools.listener.executed(inputs.plan, result);
  tools.listener.problem(fmt::format(
      "{}; the other nodes were done as far as possible, and verify was left out. To go on later: "
      "--resume {}",
      left_out_text(rest),
      run));
  return result;
}

// Reports why a run that did its whole plan ends as incomplete.
void tell_not_reached(Listener& listener, const plans::Plan& plan) {
  std::vector<NodeName> nodes;
  for (const auto& [name, node] : plan.nodes) {
    if (!node.reachable && !node.offline) nodes.push_back(name);
  }
  listener.problem(fmt::format(
      "{} {} not reached for the plan: nothing was done there, and verify was left out; plan again "
      "when the node is back",
      fold(nodes),
      nodes.size() == 1 ? "was" : "were"));
}

}  // namespace

Result<execute::RunResult> execute_plan(const ApplyInputs& inputs, const ApplyTools& tools) {
  const std::shared_ptr<void> hearing = tools.host.hear_interrupts();
  const std::string run = tools.host.new_run();
  if (inputs.skip_unreachable) {
    Remainder rest = FABRIC_TRY(without_dead(inputs, tools));
    if (!rest.dead.empty()) return execute_rest(inputs, rest, tools, run);
  }
  FABRIC_TRY(settle_idle_nodes(inputs, tools, run));
  if (inputs.plan.actions.empty()) return execute::RunResult{};
  FABRIC_TRY(tools.host.check_copies(inputs.plan));
  execute::RunResult result = FABRIC_TRY(execute_journaled(inputs.plan, inputs, {}, tools, run));
  tools.listener.executed(inputs.plan, result);
  return result;
}

Verification prove_applied(const ApplyInputs& inputs, const ApplyTools& tools) {
  const auto& [host, listener, runner, random] = tools;
  const Planned second = make_plan(
      inputs.desired,
      discover(inputs.desired, inputs.limits, listener, runner, random),
      host.bind_files());
  listener.planned_again(second);
  if (inputs.plan.stage) return staged(listener, second);
  const bool undoes = inputs.desired.undone != nullptr;
  // The plan of an undo has itself named what it leaves.
  const bool is_empty =
      second.valid &&
      (undoes ? second.plan.actions.empty() : is_only_observed(second.plan, inputs.desired.spec));
  if (!is_empty && second.valid && is_only_withheld(inputs.plan, second.plan)) {
    tell_left(listener, second.plan.withheld_nodes().empty() ? inputs.plan : second.plan);
    return Verification::left;
  }
  const bool is_verified = is_wire_right(inputs, tools, second);
  if (is_empty) {
    listener.note(
        second.plan.empty() ? "checked again: nothing is left to do"
                            : std::string{"checked again: the only differences left are "} +
                                  (undoes ? "those that the plan of the undo withholds: "
                                          : "on nodes that are only observed: ") +
                                  fold(nodes_with_changes(second.plan)));
  } else {
    listener.not_proven(second);
  }
  return is_empty && is_verified ? Verification::passed : Verification::failed;
}

Result<ExitCode> apply_plan(const ApplyInputs& inputs, const ApplyTools& tools) {
  const execute::RunResult result = FABRIC_TRY(execute_plan(inputs, tools));
  Verification verification = Verification::not_run;
  const bool is_done = result.all_done() && result.dead_nodes.empty();
  if (is_done && !inputs.plan.next_round.empty()) {
    tools.listener.round_done(inputs.plan);
    return ExitCode::partly_applied;
  }
  if (is_done && inputs.plan_complete) verification = prove_applied(inputs, tools);
  if (is_done && !inputs.plan_complete) tell_not_reached(tools.listener, inputs.plan);
  return execute::exit_code(result, inputs.plan_complete, verification);
}

}  // namespace fabric::workflow
