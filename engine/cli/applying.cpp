#include "engine/cli/applying.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "engine/cli/state/images.hpp"
#include "engine/cli/state/process_identity.hpp"
#include "engine/cli/state/run_folder.hpp"
#include "engine/cli/terminal/interrupt.hpp"
#include "engine/cli/verifying.hpp"
#include "engine/cli/wire_reading.hpp"
#include "engine/execute/crash_recovery.hpp"
#include "engine/execute/exit_code.hpp"
#include "engine/model/node_set_text.hpp"
#include "engine/platform/orphan.hpp"
#include "engine/provider/bindings.hpp"
#include "engine/report/plan/plan_text.hpp"
#include "engine/report/run/run_summary.hpp"
#include "plans/plan_file.hpp"

namespace fabric::cli {

namespace {

using execute::Verification;

// What the plan writes to, in order.
platform::NodePlatforms nodes_with_actions(const ApplyInputs& inputs) {
  platform::NodePlatforms nodes;
  for (const plans::Action& action : inputs.plan.actions)
    nodes.emplace(
        action.node, &inputs.wanted.registry.host(inputs.plan.nodes.at(action.node).platform));
  return nodes;
}

std::vector<NodeName> reachable_nodes(const plans::Plan& plan) {
  std::vector<NodeName> nodes;
  for (const auto& [name, node] : plan.nodes) {
    if (node.reachable) nodes.push_back(name);
  }
  return nodes;
}

void tell(Context& context, const std::vector<execute::OrphanGuard>& disarmed) {
  for (const execute::OrphanGuard& guard : disarmed) {
    context.note(fmt::format(
        "{}: the rollback timer that a run left when it was cut short is disarmed ({})",
        guard.node.str(),
        guard.holder));
  }
}

// No lock is left without being said.
void tell_locked(Context& context, const std::vector<NodeName>& left) {
  if (left.empty()) return;
  context.error(fmt::format(
      "the lock of {} could not be given up: it ends by itself within {}, and the next apply from "
      "this machine takes it over at once",
      fold(left),
      format_duration(execute::LeaseTerms{}.length)));
}

// Of nodes that the plan has nothing to do on; the others are settled when they are locked.
Result<void> settle_others(
    Context& context, const ApplyInputs& inputs, remote::StepRunner& runner, Random& random) {
  const platform::NodePlatforms busy = nodes_with_actions(inputs);
  platform::NodePlatforms idle;
  for (const NodeName& node : reachable_nodes(inputs.plan)) {
    if (!busy.contains(node))
      idle.emplace(node, &inputs.wanted.registry.host(inputs.plan.nodes.at(node).platform));
  }
  const execute::LeaseTerms terms{
      this_holder(new_run_id(context.clock(), random)), execute::LeaseTerms{}.length, has_ended};
  const execute::Settled settled = FABRIC_TRY(execute::settle_idle(idle, terms, runner, random));
  tell(context, settled.disarmed);
  if (!settled.unlocked.empty())
    context.note(fold(settled.unlocked) + ": the lock of a run that was cut short is given up");
  tell_locked(context, settled.still_locked);
  for (const auto& [node, error] : settled.not_asked) {
    context.error(fmt::format(
        "{} could not be asked whether a rollback timer is armed there: {}",
        node.str(),
        error.message));
  }
  return {};
}

Result<execute::RunResult> execute_journaled(
    Context& context, const ApplyInputs& inputs, remote::StepRunner& runner, Random& random) {
  const std::string run = new_run_id(context.clock(), random);
  const std::string folder = FABRIC_TRY(make_run_folder(run));
  const Result<void> kept =
      write_text_file(folder + "/plan.json", plans::to_plan_file(inputs.plan));
  if (!kept) return kept.error();
  if (!inputs.signature.empty()) {
    const Result<void> signature = write_text_file(folder + "/plan.json.sig", inputs.signature);
    if (!signature) return signature.error();
  }
  const std::unique_ptr<FileJournal> file =
      FABRIC_TRY(FileJournal::create(folder + "/journal.jsonl"));
  execute::DurableSink sink{*file};
  execute::Journal journal{sink, context.clock()};
  const InterruptGuard guard;
  bool told = false;
  const std::vector<Resource> resources = with_bindings(
      with_orphans(inputs.wanted.resources, inputs.plan.orphans), inputs.plan.bindings);
  execute::Leases leases{
      {this_holder(run), execute::LeaseTerms{}.length, has_ended},
      nodes_with_actions(inputs),
      runner,
      random};
  const execute::ExecuteInputs execution{
      inputs.plan,
      resources,
      inputs.wanted.registry,
      runner,
      random,
      {context.options().parallelism,
       inputs.wanted.document->spec().rollout.max_failures.value,
       inputs.wanted.document->spec().rollout.max_unavailable.value,
       inputs.on_error,
       FailureDomains{inputs.wanted.document->spec()}},
      run,
      [&] {
        context.reporter().tick();
        if (InterruptGuard::interrupted() && !told) {
          told = true;
          context.note("interrupted: finishing what is in flight; once more leaves at once");
        }
        return InterruptGuard::interrupted() || !journal.health();
      },
      &leases};
  context.summarize("run_id", run);
  if (Result<void> locked = leases.take(); !locked) return std::move(locked).error();
  const Result<std::vector<execute::OrphanGuard>> disarmed =
      execute::settle_locked(nodes_with_actions(inputs), runner, random);
  if (disarmed) tell(context, *disarmed);
  const Result<void> fresh =
      disarmed ? execute::check_fresh(execution) : Result<void>{disarmed.error()};
  if (!fresh) {
    tell_locked(context, leases.release());
    return fresh.error();
  }
  // The journal first: what it announces must be on disk before anybody is told of it.
  execute::RunResult result = execute::execute(execution, {&journal, &context.reporter()});
  tell_locked(context, leases.release());
  if (!journal.health())
    context.error(
        "the journal could not be written, so the run was stopped: " +
        journal.health().error().message);
  return result;
}

void sum_up(Context& context, const ApplyInputs& inputs, const execute::RunResult& result) {
  const report::RunCounts counts = report::count_states(result.actions);
  context.summarize("done", counts.done);
  context.summarize("already_satisfied", counts.already_satisfied);
  context.summarize("failed", counts.failed);
  context.summarize("unknown", counts.unknown);
  context.summarize("skipped", counts.skipped);
  context.summarize("not_started", counts.not_started);
  const bool resumable = !result.all_done();
  context.summarize("resumable", resumable);
  context.result(report::run_summary(
      inputs.plan, result, resumable ? inputs.again : "", context.output_style()));
}

std::vector<NodeName> nodes_with_changes(const plans::Plan& plan) {
  std::vector<NodeName> nodes;
  for (const plans::PlannedChange& change : plan.changes) {
    if (nodes.empty() || nodes.back() != change.address.node) nodes.push_back(change.address.node);
  }
  return nodes;
}

// What `--stage` promised: nothing is left to be written, and nothing was made to run.
Verification staged(Context& context, const Planned& second) {
  if (!second.valid || !second.plan.actions.empty()) {
    context.error("not everything could be staged: `fabric plan --stage` shows the rest");
    return Verification::failed;
  }
  const std::vector<NodeName> waiting = nodes_with_changes(second.plan);
  context.note(
      waiting.empty() ? "nothing waits for a boot"
                      : "staged: it comes into force with the next boot of " + fold(waiting));
  return Verification::passed;
}

// What apply promised: a second plan that is empty, and frames that pass.
Result<Verification> verify_result(
    Context& context, const ApplyInputs& inputs, remote::StepRunner& runner, Random& random) {
  std::vector<NodeFacts> facts = FABRIC_TRY(read_facts(context, inputs.wanted, &runner, random));
  const Planned second = make_plan_from(context, inputs.wanted, std::move(facts));
  if (inputs.plan.stage) return staged(context, second);
  const FabricSpec& spec = inputs.wanted.document->spec();
  verify::WireEvidence wire =
      FABRIC_TRY(read_wire(context, inputs.wanted, &second.snapshot, {kWireNodes}, &runner));
  const verify::Report report = verify_now(
      context, {spec, second.snapshot, second.diagnostics}, runner, {}, std::move(wire), random);
  show(context, report, inputs.wanted.document->sources);
  if (second.plan.empty() && second.valid) {
    context.note("a second plan is empty");
  } else {
    context.error("a second plan is not empty:");
    if (context.json()) {
      report::emit_plan(context.events(), second.plan);
    } else {
      context.result(report::plan_text(second.plan, context.output_style()));
    }
  }
  return second.valid && second.plan.empty() && report.ok() ? Verification::passed
                                                            : Verification::failed;
}

}  // namespace

Result<ExitCode> apply_plan(
    Context& context, const ApplyInputs& inputs, remote::StepRunner& runner, Random& random) {
  const std::unique_ptr<RunLock> lock = FABRIC_TRY(RunLock::acquire());
  Verification verification = Verification::not_run;
  execute::RunResult result;
  if (Result<void> settled = settle_others(context, inputs, runner, random); !settled)
    return std::move(settled).error();
  if (!inputs.plan.actions.empty()) {
    if (Result<void> same = check_copies(inputs.plan); !same) return std::move(same).error();
    result = FABRIC_TRY(execute_journaled(context, inputs, runner, random));
    sum_up(context, inputs, result);
  }
  if (result.all_done() && inputs.plan_complete) {
    verification = FABRIC_TRY(verify_result(context, inputs, runner, random));
  }
  return static_cast<ExitCode>(execute::exit_code(result, inputs.plan_complete, verification));
}

}  // namespace fabric::cli
