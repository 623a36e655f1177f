// SPDX-License-Identifier: Apache-2.0
#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "engine/base/source.hpp"
#include "engine/base/text.hpp"
#include "engine/cli/input/node_choice.hpp"
#include "engine/cli/input/plan_input.hpp"
#include "engine/cli/input/read_wanted.hpp"
#include "engine/cli/session/connect.hpp"
#include "engine/cli/state/document.hpp"
#include "engine/cli/state/folders.hpp"
#include "engine/cli/state/named_file.hpp"
#include "engine/cli/state/process_identity.hpp"
#include "engine/cli/state/run_folder.hpp"
#include "engine/cli/state/signing.hpp"
#include "engine/cli/state/this_host.hpp"
#include "engine/cli/terminal/context.hpp"
#include "engine/cli/terminal/context_listener.hpp"
#include "engine/cli/terminal/diagnostics.hpp"
#include "engine/cli/terminal/verify_output.hpp"
#include "engine/cli/verbs/verb.hpp"
#include "engine/files/write.hpp"
#include "engine/model/node_set_text.hpp"
#include "engine/remote/shell.hpp"
#include "engine/report/plan/plan_text.hpp"
#include "engine/report/run/run_text.hpp"
#include "engine/ssh/local_command.hpp"
#include "engine/workflow/applying.hpp"
#include "engine/workflow/planning.hpp"
#include "plans/plan.hpp"
#include "plans/plan_file.hpp"

namespace fabric::cli {
namespace {

constexpr Duration kLongest{600'000};

// Runs `command` (a shell text) with the path of the plan as a file in $1 and FABRIC_PLAN; "" = no
// policy. Its output is shown. Fails with ErrorCode::forbidden if its exit status is not 0, or if
// it could not be run.
Result<void> ask_policy(
    const Context& context, const std::string& command, const plans::Plan& plan) {
  if (command.empty()) return {};
  const std::string path =
      fmt::format("{}/policy-{}.plan", kStateFolder, plan.digest.substr(7, 12));
  FABRIC_TRY(files::make_folder(kStateFolder, files::Readers::owner));
  if (Result<void> written = write_text_file(path, plans::to_plan_file(plan)); !written)
    return written;
  remote::step::RunHere here{remote::Command{{"sh", "-c", command, "fabric", path}, {}, kLongest}};
  here.environment = {{"FABRIC_PLAN", path}};
  ssh::StopSignal never;
  const ssh::Execution asked = ssh::run_here(here, context.clock(), never);
  FABRIC_TRY(files::remove_file(path));
  for (const std::string* said : {&asked.output.standard_output, &asked.output.standard_error}) {
    for (const std::string_view line : split_lines(*said))
      context.note(std::string{line});
  }
  if (asked.outcome != remote::Outcome::succeeded)
    return Error{ErrorCode::forbidden, "the policy could not be asked: " + asked.error.message};
  if (asked.output.exit_status == 0) return {};
  return Error{
      ErrorCode::forbidden,
      fmt::format(
          "the policy refused the plan (exit {}); nothing was changed: {}",
          asked.output.exit_status,
          command)};
}

// ApplyListener: what an apply shows of its end, besides its progress.

class ApplyListener final : public ContextListener {
 public:
  // `sources` of the document; `again`: the command line that plans and applies again, for "next:";
  // `resumption`: the options that resume a paused run. All others must outlive this.
  ApplyListener(
      Context& context, const SourceMap& sources, std::string again, std::string resumption)
      : ContextListener{context},
        sources_{sources},
        again_{std::move(again)},
        resumption_{std::move(resumption)} {}

  void run_started(const plans::Plan& plan, const std::string& run) override;
  void executed(const plans::Plan& plan, const execute::RunResult& result) override;
  void round_done(const plans::Plan& plan) override;
  void planned_again(const workflow::Planned& second) override;
  void verified(const verify::Report& report) override;
  void not_proven(const workflow::Planned& second) override;

  bool is_round_done() const { return round_done_; }

 private:
  const SourceMap& sources_;
  std::string again_, resumption_, run_;
  bool round_done_ = false;
};

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
  // Nodes whose change was rolled back: the same change would cut them off again.
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

class ApplyVerb final : public Verb {
 public:
  void declare(CLI::App& app) override {
    CLI::Option* path =
        app.add_option("PATH", path_, "document, or plan file of `fabric plan --out`")
            ->default_val(".");
    app.add_option("--resume", resume_, "continue the plan of this run of `fabric history`")
        ->type_name("RUN")
        ->excludes(path);
    nodes_.declare_limit(app);
    nodes_.declare_offline(app);
    app.add_flag("--auto-approve", auto_approve_, "don't ask");
    app.add_flag(
        "--allow-mgmt-path",
        allow_management_path_,
        "allow changes of the interfaces that carry the SSH session");
    app.add_option(
        "--allow-no-rollback",
        allow_no_rollback_,
        "apply risky changes on these nodes without an automatic rollback: 'sw[1-2]'");
    app.add_flag(
        "--stage", stage_, "change only settings of the next boot: no activation, no reboot");
    app.add_flag(
        "--require-signature",
        require_signature_,
        "apply only a plan file that is signed (FILE.sig) by a trusted key");
    app.add_option(
           "--trusted-keys",
           trusted_keys_,
           "public keys (PEM) of trusted signers; a file outside of the working tree of the "
           "document")
        ->default_val(kTrustedKeys)
        ->type_name("FILE");
    app.add_flag(
        "--skip-unreachable",
        skip_unreachable_,
        "go on without nodes that died since the plan was made, as far as the plan's guards allow");
    app.add_flag("--again", again_, "apply a plan file though every action of it was done already");
    app.add_option(
           "--policy",
           policy_,
           "run this command first: $1 is the plan file, exit status 0 allows the apply")
        ->type_name("CMD");
    app.add_option(
           "--on-error",
           on_error_,
           "after a failure: stop-wave ends the wave, within rollout.max_failures; stop begins "
           "nothing more; continue does everything that does not need a failed action")
        ->default_val("stop-wave")
        ->check(CLI::IsMember({"stop-wave", "stop", "continue"}));
    app.add_option(
           "--pause-after",
           pause_after_,
           "stop to be looked at: canary after the canaries, wave after each wave; --resume goes "
           "on")
        ->check(CLI::IsMember({"canary", "wave"}));
    app.add_option(
        "--wait-for-cables",
        wait_for_cables_,
        "ask for each missing cable to be plugged in, and wait this long: 15m");
  }

  Result<ExitCode> run(Context& context) override {
    if (again_ && !resume_.empty())
      return Error{
          ErrorCode::invalid, "--resume goes on with a run anyway: --again is for a plan file"};
    if (!context.options().facts.empty()) {
      return Error{
          ErrorCode::invalid, "saved facts can't be changed: apply and --facts exclude each other"};
    }
    if (!resume_.empty()) {
      // Actions that are done already are found satisfied and skipped.
      const std::string plan = FABRIC_TRY(run_folder(resume_)) + "/plan.json";
      record_ = FABRIC_TRY(recorded_run(resume_));
      return run_plan_file(context, plan, FABRIC_TRY(read_plan_text(plan)));
    }
    const std::optional<std::string> plan = FABRIC_TRY(plan_file_text(path_));
    if (!plan && again_) {
      return Error{
          ErrorCode::invalid,
          "--again repeats a plan file, and this is a document: its plan is a new one each time"};
    }
    if (!plan && require_signature_) {
      return Error{
          ErrorCode::invalid,
          "--require-signature takes a signed plan file, and this is a document: make one with "
          "`fabric plan --out FILE --sign KEY`"};
    }
    return plan ? run_plan_file(context, path_, *plan) : run_document(context);
  }

 private:
  struct About {
    bool complete;          // every node was reached when the plan was made
    bool only_once;         // see workflow::ApplyInputs
    std::string again;      // the command line that plans and applies anew, for "next:"
    std::string signature;  // of the plan file, kept with the run; "" = none
  };

  struct Outcome {
    ExitCode code;
    bool round_done;  // wholly, and another round follows
  };

  // Only one apply at a time in this folder.
  Result<Outcome> apply(
      Context& context,
      const workflow::Wanted& wanted,
      const plans::Plan& plan,
      const About& about,
      remote::StepRunner& runner,
      Random& random) const {
    const std::unique_ptr<RunLock> lock = FABRIC_TRY(RunLock::acquire());
    ThisHost host{context, random, *wanted.document, about.signature};
    ApplyListener listener{context, wanted.document->sources, about.again, resumption(plan)};
    if (pause_after_ == "canary" && wanted.desired().spec.rollout.canary.empty()) {
      return Error{
          ErrorCode::invalid,
          "--pause-after canary: the document names no canaries (rollout.canary)"};
    }
    const GlobalOptions& options = context.options();
    const ExitCode code = FABRIC_TRY(workflow::apply_plan(
        {wanted.desired(),
         plan,
         about.complete,
         on_error(),
         {options.timeout, options.parallelism},
         about.only_once,
         pause_after(),
         execute::former_run(record_, plan),
         skip_unreachable_},
        {host, listener, runner, random}));
    return Outcome{code, listener.is_round_done()};
  }

  // If a signature is required, only a signature by the trusted keys allows the plan: a plan that
  // can't be read counts as not signed.
  Result<plans::Plan> read_plan(
      const Context& context, const std::string& path, const std::string& text) const {
    Result<plans::Plan> plan = plans::parse_plan_file(text);
    if (!require_signature_) return plan ? plan : with_context(plan.error(), path);
    std::vector<std::string> trees;
    if (std::optional<std::string> here = repository_of(".")) trees.push_back(*std::move(here));
    for (const plans::InputFile& input : plan ? plan->inputs : std::vector<plans::InputFile>{})
      trees.push_back(working_tree(std::filesystem::path{input.path}.parent_path().string()));
    const PlanStatement statement =
        FABRIC_TRY(require_signature(path, trusted_keys_, trees, context.clock()));
    if (!plan) return Error{ErrorCode::forbidden, path + ": " + plan.error().message};
    if (const Result<void> right = check_is_of(statement, *plan); !right)
      return with_context(right.error(), path);
    return plan;
  }

  Result<ExitCode> run_plan_file(
      Context& context, const std::string& path, const std::string& text) const {
    const Result<plans::Plan> plan = read_plan(context, path, text);
    if (!plan) return plan.error();
    if (stage_ && !plan->stage) {
      return Error{
          ErrorCode::invalid,
          path + ": a plan is executed as it is: make it with `fabric plan --stage`"};
    }
    if (!wait_for_cables_.empty()) {
      return Error{
          ErrorCode::invalid,
          path + ": a plan is executed as it is: make it with `fabric plan --wait-for-cables`"};
    }
    if (!nodes_.again().empty()) {
      return Error{
          ErrorCode::invalid,
          path + ": a plan is executed as it is: make it with `fabric plan" + nodes_.again() + "`"};
    }
    workflow::Wanted wanted = FABRIC_TRY(wanted_of(context, *plan));
    FABRIC_TRY(check_permissions(*plan, FABRIC_TRY(permitted(wanted, require_signature_))));
    if (const Result<void> allowed = ask_policy(context, policy_, *plan); !allowed)
      return allowed.error();
    Random random = fresh_random(context.clock());
    const std::unique_ptr<remote::StepRunner> runner =
        FABRIC_TRY(connect(context, *wanted.document));
    const Outcome outcome = FABRIC_TRY(apply(
        context,
        wanted,
        *plan,
        {plan->reached_all(),
         resume_.empty() && !again_,
         context.command(plan->undoes.empty() ? "plan" : "undo " + plan->undoes),
         signature_of(path)},
        *runner,
        random));
    if (outcome.round_done)
      context.note(fmt::format(
          "this plan file was one round; for the next one: {}, then apply that file",
          context.command("plan --out FILE")));
    return outcome.code;
  }

  // A round is followed by the next plan, which is asked for again: packages, then a boot, then
  // what only a node that booted shows.
  Result<ExitCode> run_document(Context& context) const {
    constexpr int kMostRounds = 4;
    Outcome outcome = FABRIC_TRY(run_round(context));
    for (int round = 1; outcome.round_done && round < kMostRounds; ++round)
      outcome = FABRIC_TRY(run_round(context));
    return outcome.code;
  }

  Result<Outcome> run_round(Context& context) const {
    const workflow::NodeChoice choice = FABRIC_TRY(nodes_.choice());
    const std::vector<std::string> files = FABRIC_TRY(document_files(path_));
    workflow::Wanted wanted = FABRIC_TRY(read_wanted(context, files, choice));
    wanted.stage = stage_;
    if (const Result<void> asked = want_cables(wanted, wait_for_cables_); !asked)
      return asked.error();
    const workflow::Allowed allowed = FABRIC_TRY(permitted(wanted, !auto_approve_));
    Random random = fresh_random(context.clock());
    const std::unique_ptr<remote::StepRunner> runner =
        FABRIC_TRY(connect(context, *wanted.document));
    const workflow::Planned planned = FABRIC_TRY(plan_now(context, wanted, runner.get(), random));
    if (!planned.complete) return Outcome{workflow::exit_code_of(planned), false};
    if (context.json()) {
      report::emit_plan(context.events(), planned.plan, estimate_here(planned.plan));
    } else {
      context.result(
          report::plan_text(planned.plan, context.output_style(), estimate_here(planned.plan)));
    }
    if (!planned.valid) return Outcome{workflow::exit_code_of(planned), false};
    FABRIC_TRY(check_permissions(planned.plan, allowed));
    const bool agreed =
        planned.plan.actions.empty() || FABRIC_TRY(allowed_and_approved(context, planned.plan));
    if (!agreed) {
      context.note("nothing was changed");
      return Outcome{ExitCode::cancelled, false};
    }
    const Outcome outcome = FABRIC_TRY(apply(
        context,
        wanted,
        planned.plan,
        {planned.plan.reached_all(), false, context.command(again()), {}},
        *runner,
        random));
    if (outcome.code == ExitCode::done && !stage_)
      context.hint(context.command("verify --level rdma", path_));
    return outcome;
  }

  // Asks the policy, then the person for a yes.
  Result<bool> allowed_and_approved(Context& context, const plans::Plan& plan) const {
    if (const Result<void> allowed = ask_policy(context, policy_, plan); !allowed)
      return allowed.error();
    return approved(context, plan);
  }

  // The command that continues this run.
  std::string again() const {
    std::string again = path_ == "." ? "apply" : "apply " + remote::quote(path_);
    again += nodes_.again();
    if (!wait_for_cables_.empty()) again += " --wait-for-cables " + remote::quote(wait_for_cables_);
    if (!allow_no_rollback_.empty())
      again += " --allow-no-rollback " + remote::quote(allow_no_rollback_);
    return again;
  }

  // The options of the command that resumes a paused run, without the run's name.
  std::string resumption(const plans::Plan& plan) const {
    std::string options = pause_after_.empty() ? "" : " --pause-after " + pause_after_;
    const plans::Permissions& needed = plan.permissions;
    if (!needed.management_path.nodes.empty()) options += " --allow-mgmt-path";
    if (!needed.no_rollback.nodes.empty())
      options += " --allow-no-rollback " + remote::quote(fold(needed.no_rollback.nodes));
    if (skip_unreachable_) options += " --skip-unreachable";
    return options;
  }

  execute::PauseAfter pause_after() const {
    if (pause_after_ == "wave") return execute::PauseAfter::wave;
    return pause_after_ == "canary" ? execute::PauseAfter::canary : execute::PauseAfter::never;
  }

  execute::OnError on_error() const {
    if (on_error_ == "stop") return execute::OnError::stop;
    return on_error_ == "continue" ? execute::OnError::go_on : execute::OnError::stop_wave;
  }

  Result<workflow::Allowed> permitted(const workflow::Wanted& wanted, bool document_counts) const {
    workflow::Allowed allowed{allow_management_path_, {}, document_counts};
    if (!allow_no_rollback_.empty())
      allowed.no_rollback = FABRIC_TRY(workflow::chosen_nodes(
          wanted.document->spec(), "--allow-no-rollback", allow_no_rollback_));
    return allowed;
  }

  Result<bool> approved(const Context& context, const plans::Plan& plan) const {
    const bool asks = plan.impact.asks_for_paths;
    if (auto_approve_ && asks) {
      return Error{
          ErrorCode::forbidden,
          "the plan cuts hosts off from each other for a while, and rollout.paths_lost is `ask`: "
          "--auto-approve does not agree to that; nothing was changed (answer 'yes', or apply the "
          "file of `fabric plan --out`)"};
    }
    if (auto_approve_) return true;
    const Error nobody{
        ErrorCode::invalid,
        "apply asks for 'yes' and there is no terminal to ask: use --auto-approve, or apply a plan "
        "file"};
    if (context.options().no_input || context.json()) return nobody;
    report::Text question{"Apply this plan? Only 'yes' is taken: "};
    if (asks)
      question =
          "Apply this plan, and lose the paths named above for a while? Only 'yes' is taken: ";
    const std::optional<std::string> answer = ask(question);
    if (!answer) return nobody;
    return *answer == "yes";
  }

  NodeOptions nodes_;
  std::string path_, resume_, wait_for_cables_, trusted_keys_, on_error_, policy_,
      allow_no_rollback_, pause_after_;
  execute::RunRecord record_;  // of the run that is resumed
  bool auto_approve_ = false;
  bool allow_management_path_ = false;
  bool stage_ = false;
  bool require_signature_ = false;
  bool again_ = false;
  bool skip_unreachable_ = false;
};

}  // namespace

std::unique_ptr<Verb> make_apply() {
  return std::make_unique<ApplyVerb>();
}

}  // namespace fabric::cli
