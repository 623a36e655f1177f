#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "engine/cli/input/plan_now.hpp"
#include "engine/cli/input/read_wanted.hpp"
#include "engine/cli/state/run_folder.hpp"
#include "engine/cli/state/signing.hpp"
#include "engine/cli/terminal/format.hpp"
#include "engine/cli/verbs/verb.hpp"
#include "engine/remote/shell.hpp"
#include "engine/report/plan/plan_text.hpp"
#include "plans/plan_file.hpp"

namespace fabric::cli {

namespace {

class PlanVerb final : public Verb {
 public:
  void declare(CLI::App& app) override {
    app.add_option("PATH", path_, "document: a file or a directory")->default_val(".");
    app.add_option("--out", out_, "write the plan to this file, for `fabric apply FILE`");
    app.add_option("--sign", sign_, "sign it by this ed25519 private key (PEM): writes FILE.sig")
        ->type_name("KEY");
    app.add_flag("--detailed-exitcode", detailed_, "exit 2 if there are changes");
    app.add_flag("--refresh-only", refresh_only_, "show what differs, plan nothing");
    app.add_flag("--stage", stage_, "plan only what the next boot will have; reboot nobody");
    app.add_option(
        "--wait-for-cables",
        wait_for_cables_,
        "ask a person for each cable that is not there, and wait this long: 15m");
    app.add_option("--limit", limit_, "only these nodes, for example 'pve[1-2]'");
    add_format(app, format_, {"human", "json"});
  }

  Result<ExitCode> run(Context& context) override {
    if (refresh_only_ && !out_.empty()) {
      return Error{ErrorCode::invalid, "--refresh-only makes no plan that --out could write"};
    }
    if (const Result<void> key = can_sign(); !key) return key.error();
    const std::vector<std::string> files = FABRIC_TRY(document_files(path_));
    workflow::Wanted wanted = FABRIC_TRY(read_wanted(context, files, limit_));
    wanted.stage = stage_;
    if (const Result<void> asked = want_cables(wanted, wait_for_cables_); !asked)
      return asked.error();
    workflow::Planned planned = FABRIC_TRY(plan_now(context, wanted));
    ExitCode code = exit_code_of(planned);
    if (!planned.valid) return code;
    if (refresh_only_) planned.plan.actions.clear();
    show(context, planned.plan);
    if (const Result<void> saved = save(context, planned.plan); !saved) return saved.error();
    if (detailed_ && !planned.plan.empty()) code = worse(code, ExitCode::changes);
    return code;
  }

 private:
  Result<void> can_sign() const {
    if (sign_.empty()) return {};
    if (out_.empty())
      return Error{ErrorCode::invalid, "--sign signs the plan file that --out writes: name one"};
    return check_signing_key(sign_);
  }

  Result<void> save(const Context& context, const plans::Plan& plan) const {
    if (out_.empty()) return {};
    const std::string text = plans::to_plan_file(plan);
    if (Result<void> written = write_text_file(out_, text); !written) return written;
    if (!sign_.empty()) {
      if (Result<void> done = sign_file(out_, text, sign_); !done) return done;
    }
    context.note(fmt::format(
        "saved to {}; next: {}", out_, context.command("apply " + remote::quote(out_))));
    return {};
  }

  void show(const Context& context, const plans::Plan& plan) const {
    if (context.json()) {
      report::emit_plan(context.events(), plan, estimate_here(plan));
    } else if (format_ == "json") {
      context.result(plans::to_plan_file(plan));
    } else {
      context.result(report::plan_text(plan, context.output_style(), estimate_here(plan)));
    }
  }

  std::string path_, out_, sign_, limit_, format_, wait_for_cables_;
  bool detailed_ = false;
  bool refresh_only_ = false;
  bool stage_ = false;
};

}  // namespace

std::unique_ptr<Verb> make_plan() {
  return std::make_unique<PlanVerb>();
}

}  // namespace fabric::cli
