#include <algorithm>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "engine/base/limits.hpp"
#include "engine/base/text.hpp"
#include "engine/cli/applying.hpp"
#include "engine/cli/connect.hpp"
#include "engine/cli/plan_input.hpp"
#include "engine/cli/run_folder.hpp"
#include "engine/cli/verb.hpp"
#include "engine/remote/shell.hpp"
#include "engine/report/plan_text.hpp"
#include "plans/plan_file.hpp"

namespace fabric::cli {

namespace {

bool all_reached(const plans::Plan& plan) {
  return std::all_of(
      plan.nodes.begin(), plan.nodes.end(), [](const auto& node) { return node.second.reachable; });
}

class ApplyVerb final : public Verb {
 public:
  void declare(CLI::App& app) override {
    CLI::Option* path =
        app.add_option("PATH", path_, "document, or plan file of `fabric plan --out`")
            ->default_val(".");
    app.add_option("--resume", resume_, "go on with the plan of this run of `fabric history`")
        ->type_name("RUN")
        ->excludes(path);
    app.add_flag("--auto-approve", auto_approve_, "don't ask");
    app.add_flag(
        "--allow-mgmt-path",
        allow_management_path_,
        "let the plan touch interfaces that carry the SSH session itself");
    app.add_flag(
        "--stage",
        stage_,
        "set only what the next boot will have; activate nothing, reboot nobody");
    app.add_option(
        "--wait-for-cables",
        wait_for_cables_,
        "ask a person for each cable that is not there, and wait this long: 15m");
  }

  Result<ExitCode> run(Context& context) override {
    if (!context.options().facts.empty()) {
      return Error{
          ErrorCode::invalid, "saved facts can't be changed: apply and --facts exclude each other"};
    }
    if (!resume_.empty()) {
      // What is done already is found satisfied and left alone.
      const std::string plan = FABRIC_TRY(run_folder(resume_)) + "/plan.json";
      return run_plan_file(
          context, plan, FABRIC_TRY(read_text_file(plan, limits::kDocumentBytes * 4)));
    }
    const std::optional<std::string> plan = FABRIC_TRY(plan_file_text(path_));
    return plan ? run_plan_file(context, path_, *plan) : run_document(context);
  }

 private:
  Result<ExitCode> run_plan_file(
      Context& context, const std::string& path, const std::string& text) const {
    const Result<plans::Plan> plan = plans::parse_plan_file(text);
    if (!plan) return with_context(plan.error(), path);
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
    if (const Result<void> allowed = management_path_allowed(*plan); !allowed)
      return allowed.error();
    const Wanted wanted = FABRIC_TRY(wanted_of(context, *plan));
    Random random = fresh_random(context.clock());
    const std::unique_ptr<remote::StepRunner> runner =
        FABRIC_TRY(connect(context, wanted.document->spec()));
    return apply_plan(
        context, {wanted, *plan, all_reached(*plan), context.command("plan")}, *runner, random);
  }

  Result<ExitCode> run_document(Context& context) const {
    const std::vector<std::string> files = FABRIC_TRY(document_files(path_));
    Wanted wanted = FABRIC_TRY(read_wanted(context, files, ""));
    wanted.stage = stage_;
    if (const Result<void> asked = want_cables(wanted, wait_for_cables_); !asked)
      return asked.error();
    Random random = fresh_random(context.clock());
    const std::unique_ptr<remote::StepRunner> runner =
        FABRIC_TRY(connect(context, wanted.document->spec()));
    std::vector<NodeFacts> facts = FABRIC_TRY(read_facts(context, wanted, runner.get(), random));
    const Planned planned = make_plan_from(context, wanted, std::move(facts));
    if (!planned.valid) return ExitCode::invalid;
    if (context.json()) {
      report::emit_plan(context.events(), planned.plan);
    } else {
      context.result(report::plan_text(planned.plan, context.output_style()));
    }
    if (const Result<void> allowed = management_path_allowed(planned.plan); !allowed)
      return allowed.error();
    if (!planned.plan.actions.empty()) {
      const bool agreed = FABRIC_TRY(approved(context));
      if (!agreed) {
        context.note("nothing was changed");
        return ExitCode::cancelled;
      }
    }
    std::string again = path_ == "." ? "apply" : "apply " + remote::quote(path_);
    if (!wait_for_cables_.empty()) again += " --wait-for-cables " + wait_for_cables_;
    return apply_plan(
        context,
        {wanted, planned.plan, complete(planned.snapshot), context.command(again)},
        *runner,
        random);
  }

  Result<void> management_path_allowed(const plans::Plan& plan) const {
    const std::vector<std::string>& nodes = plan.impact.management_path;
    if (allow_management_path_ || nodes.empty()) return {};
    return Error{
        ErrorCode::invalid,
        fmt::format(
            "the plan touches the interface that the SSH session to {} comes in by; nothing was "
            "changed (--allow-mgmt-path allows it)",
            fmt::join(nodes, ", "))};
  }

  Result<bool> approved(const Context& context) const {
    if (auto_approve_) return true;
    const Error nobody{
        ErrorCode::invalid,
        "apply asks for 'yes' and there is no terminal to ask: use --auto-approve, or apply a plan "
        "file"};
    if (context.options().no_input || context.json()) return nobody;
    const std::optional<std::string> answer = ask("Apply this plan? Only 'yes' is taken: ");
    if (!answer) return nobody;
    return *answer == "yes";
  }

  std::string path_, resume_, wait_for_cables_;
  bool auto_approve_ = false;
  bool allow_management_path_ = false;
  bool stage_ = false;
};

}  // namespace

std::unique_ptr<Verb> make_apply() {
  return std::make_unique<ApplyVerb>();
}

}  // namespace fabric::cli
