#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "engine/cli/input/plan_now.hpp"
#include "engine/cli/input/read_wanted.hpp"
#include "engine/cli/state/run_folder.hpp"
#include "engine/cli/state/signing.hpp"
#include "engine/cli/terminal/format.hpp"
#include "engine/cli/verbs/verb.hpp"
#include "engine/remote/shell.hpp"
#include "engine/report/formats.hpp"
#include "plans/plan_file.hpp"

namespace fabric::cli {

namespace {

class PlanVerb final : public Verb {
 public:
  void declare(CLI::App& app) override {
    app.add_option("PATH", path_, "document: a file or a directory")->default_val(".");
    app.add_option("--out", out_, "write the plan to this file, for `fabric apply FILE`");
    app.add_option(
           "--sign",
           sign_,
           "sign the plan file with this ed25519 private key (PEM): writes FILE.sig")
        ->type_name("KEY");
    app.add_flag("--detailed-exitcode", detailed_, "exit 2 if there are changes");
    app.add_flag("--refresh-only", refresh_only_, "show the differences, plan no actions");
    app.add_flag("--stage", stage_, "plan only what the next boot will use: no reboot");
    app.add_option(
        "--wait-for-cables",
        wait_for_cables_,
        "ask for each missing cable to be plugged in, and wait this long: 15m");
    app.add_option("--limit", limit_, "only these nodes, for example 'pve[1-2]'");
    add_format(app, format_, report::names_of(report::plan_formats()));
  }

  Result<ExitCode> run(Context& context) override {
    if (refresh_only_ && !out_.empty()) {
      return Error{ErrorCode::invalid, "--refresh-only makes no plan that --out could write"};
    }
    if (const Result<void> key = can_sign(); !key) return key.error();
    const std::vector<std::string> files = FABRIC_TRY(document_files(path_));
    Result<workflow::Wanted> read = read_wanted(context, files, limit_);
    if (!read) {
      show_refused(context, files);
      return read.error();
    }
    workflow::Wanted wanted = std::move(*read);
    wanted.stage = stage_;
    if (const Result<void> asked = want_cables(wanted, wait_for_cables_); !asked)
      return asked.error();
    workflow::Planned planned = FABRIC_TRY(plan_now(context, wanted));
    ExitCode code = exit_code_of(planned);
    const Document& document = *wanted.document;
    Diagnostics findings = document.loaded.diagnostics;
    findings.append(planned.diagnostics);
    findings.sort();
    if (!planned.valid) {
      if (is_one_document(context)) show(context, nullptr, findings, document.sources);
      return code;
    }
    if (refresh_only_) {
      planned.plan.actions.clear();
      planned.plan.waves.clear();
      planned.plan.impact = {};
    }
    show(context, &planned.plan, findings, document.sources);
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

  // Of a text for people and of events the diagnostics on their way are all that is said of a plan
  // that could not be made; of every other format one document is.
  bool is_one_document(const Context& context) const {
    return !context.json() && format_ != report::plan_formats().front().name;
  }

  void show_refused(const Context& context, const std::vector<std::string>& files) const {
    if (!is_one_document(context)) return;
    const Result<std::unique_ptr<Document>> document = load_files(files);
    // Otherwise no finding about the document was the reason.
    if (document && !(*document)->valid())
      show(context, nullptr, (*document)->loaded.diagnostics, (*document)->sources);
  }

  // `plan` is null if none could be made.
  void show(
      const Context& context,
      const plans::Plan* plan,
      const Diagnostics& findings,
      const SourceMap& sources) const {
    std::optional<execute::Estimate> time;
    if (plan != nullptr) time = estimate_here(*plan);
    if (context.json()) {
      report::emit_plan(context.events(), *plan, time);
    } else {
      context.result(report::write_as(
          format_,
          report::plan_formats(),
          {plan, findings, sources, "fabric plan"},
          audience_of(context)));
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
