// SPDX-License-Identifier: Apache-2.0
#include "engine/cli/verbs/apply_listener.hpp"

#include <set>
#include <vector>

#include <fmt/format.h>

#include "engine/cli/terminal/diagnostics.hpp"
#include "engine/cli/terminal/verify_output.hpp"
#include "engine/model/node_set_text.hpp"
#include "engine/report/plan/plan_text.hpp"
#include "engine/report/run/run_summary.hpp"
#include "engine/workflow/planning.hpp"

namespace fabric::cli {

void ApplyListener::run_started(const plans::Plan& plan, const std::string& run) {
  run_ = run;
  ContextListener::run_started(plan, run);
}

void ApplyListener::executed(const plans::Plan& plan, const execute::RunResult& result) {
  const report::RunCounts counts = report::count_states(result.actions);
  context().summarize("done", counts.done);
  context().summarize("already_satisfied", counts.already_satisfied);
  context().summarize("failed", counts.failed);
  context().summarize("unknown", counts.unknown);
  context().summarize("skipped", counts.skipped);
  context().summarize("not_started", counts.not_started);
  const bool resumable = !result.all_done();
  context().summarize("resumable", resumable);
  if (result.paused) context().summarize("paused", true);
  std::string next = resumable ? again_ : "";
  // The same change would cut it off again.
  std::set<NodeName> rolled_back;
  for (const execute::ActionResult& each : result.actions) {
    const plans::Action* action = plan.find_action(each.id);
    if (each.rollback == execute::Rollback::verified && action != nullptr)
      rolled_back.insert(action->node);
  }
  if (!rolled_back.empty())
    next = fmt::format(
        "look at {} first, where the change was rolled back; then {}",
        fold(std::vector<NodeName>{rolled_back.begin(), rolled_back.end()}),
        again_);
  if (result.paused) next = context().command("apply --resume " + run_ + resumption_);
  // A node that is lost is no reason to leave the others as they are.
  if (!result.lost_nodes.empty())
    next += fmt::format("; without the lost: --offline {}", fold(result.lost_nodes));
  context().result(report::run_summary(plan, result, next, context().output_style()));
}

void ApplyListener::round_done(const plans::Plan& plan) {
  round_done_ = true;
  note(fmt::format("this round is done; another one follows after {}", plan.next_round));
}

void ApplyListener::planned_again(const workflow::Planned& second) {
  print_errors(context(), sources_, second.diagnostics);
}

void ApplyListener::verified(const verify::Report& report) {
  show(context(), report, sources_);
}

void ApplyListener::not_proven(const workflow::Planned& second) {
  problem("checked again: this is left to do:");
  if (context().json()) {
    report::emit_plan(context().events(), second.plan);
  } else {
    context().result(report::plan_text(second.plan, context().output_style()));
  }
}

}  // namespace fabric::cli
