// SPDX-License-Identifier: Apache-2.0
#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "engine/cli/input/node_choice.hpp"
#include "engine/cli/input/plan_input.hpp"
#include "engine/cli/input/read_wanted.hpp"
#include "engine/cli/state/run_folder.hpp"
#include "engine/cli/state/signing.hpp"
#include "engine/cli/terminal/format.hpp"
#include "engine/cli/verbs/verb.hpp"
#include "engine/files/write.hpp"
#include "engine/remote/shell.hpp"
#include "engine/report/drift/drift_formats.hpp"
#include "engine/report/formats.hpp"
#include "engine/workflow/drift.hpp"
#include "plans/plan_file.hpp"

namespace fabric::cli {

namespace {

// `plan` and `undo`: the goal is a document, or the state before a run.
class PlanVerb final : public Verb {
 public:
  explicit PlanVerb(bool undoes) : undoes_{undoes} {}

  void declare(CLI::App& app) override {
    if (undoes_) {
      app.add_option("RUN", run_, "a run of `fabric history`")->required();
    } else {
      app.add_option("PATH", path_, "document: a file or a directory")->default_val(".");
    }
    app.add_option("--out", out_, "write the plan to this file, for `fabric apply FILE`");
    app.add_option(
           "--sign",
           sign_,
           "sign the plan file with this ed25519 private key (PEM): writes FILE.sig")
        ->type_name("KEY");
    app.add_option("--valid", valid_, "how long a signed plan may be applied: 12h, 7d")
        ->default_val("7d")
        ->type_name("DURATION");
    app.add_flag("--detailed-exitcode", detailed_, "exit 2 if there are changes");
    add_format(app, format_, report::names_of(report::plan_formats()));
    if (undoes_) return;
    app.add_flag(
        "--refresh-only",
        refresh_only_,
        "show how the nodes differ from the document, and by whose change; plan nothing");
    app.add_flag("--stage", stage_, "plan only settings of the next boot: no reboot");
    app.add_option(
        "--wait-for-cables",
        wait_for_cables_,
        "ask for each missing cable to be plugged in, and wait this long: 15m");
    nodes_.declare_limit(app);
    nodes_.declare_offline(app);
  }

  Result<ExitCode> run(Context& context) override {
    FABRIC_TRY(check_options());
    const Result<Duration> valid = parse_duration(valid_);
    if (!valid) return with_context(valid.error(), "--valid");
    workflow::Wanted& wanted = wanted_.emplace(FABRIC_TRY(want(context)));
    wanted.outputs_stay = refresh_only_;  // a drift report finds in them who changed a value
    if (const Result<void> asked = want_cables(wanted, wait_for_cables_); !asked)
      return asked.error();
    const workflow::Planned& planned = planned_.emplace(FABRIC_TRY(plan_now(context, wanted)));
    ExitCode code = exit_code_of(planned);
    const Document& document = *wanted.document;
    Diagnostics findings = document.loaded.diagnostics;
    findings.append(planned.diagnostics);
    findings.sort();
    if (!planned.valid) {
      const plans::Plan* plan = planned.complete ? &planned.plan : nullptr;
      if (plan != nullptr || is_one_document(context)) show(context, plan, findings, document);
      return code;
    }
    if (refresh_only_) {
      if (detailed_ && !planned.plan.changes.empty()) code = worse(code, ExitCode::changes);
      show_drift(context, wanted, planned, findings);
      return code;
    }
    show(context, &planned.plan, findings, document);
    if (const Result<void> saved = save(context, planned.plan, *valid); !saved)
      return saved.error();
    if (detailed_ && !planned.plan.empty()) code = worse(code, ExitCode::changes);
    if (format_ == "human") tell_next(context, planned.plan);
    return code;
  }

 private:
  Result<workflow::Wanted> want(const Context& context) const {
    if (undoes_) return wanted_before(context, run_);
    const workflow::NodeChoice choice = FABRIC_TRY(nodes_.choice());
    const std::vector<std::string> files = FABRIC_TRY(document_files(path_));
    Result<workflow::Wanted> read = read_wanted(context, files, choice);
    if (!read) {
      show_refused(context, files);
      return read;
    }
    read->stage = stage_;
    return read;
  }

  // A plan that was saved has told its own.
  void tell_next(const Context& context, const plans::Plan& plan) const {
    if (!out_.empty() || !context.options().facts.empty()) return;
    if (undoes_) {
      if (!plan.actions.empty())
        context.hint(context.command(fmt::format("undo {} --out undo.plan", run_)));
      return;
    }
    context.hint(
        plan.actions.empty()
            ? context.command("verify", path_)
            : context.command("apply" + nodes_.again() + (stage_ ? " --stage" : ""), path_));
  }

  Result<void> check_options() const {
    if (refresh_only_ && !out_.empty())
      return Error{ErrorCode::invalid, "--refresh-only makes no plan that --out could write"};
    if (refresh_only_)
      FABRIC_TRY(
          check_format(format_, report::names_of(report::drift_formats()), "plan --refresh-only"));
    if (sign_.empty()) return {};
    if (out_.empty())
      return Error{ErrorCode::invalid, "--sign signs the plan file that --out writes: name one"};
    return check_signing_key(sign_);
  }

  Result<void> save(const Context& context, const plans::Plan& plan, Duration valid) const {
    if (out_.empty()) return {};
    std::size_t bytes = 0;
    Result<void> written = files::write_file_in_pieces(
        out_,
        [&](const files::TakePiece& take) {
          plans::write_plan_file(plan, [&](std::string_view piece) {
            bytes += piece.size();
            take(piece);
          });
        },
        files::Readers::owner);
    if (!written) return written;
    if (Result<void> readable = plans::check_plan_size(bytes); !readable) {
      // Nobody finds out on the day of the change.
      static_cast<void>(files::remove_file(out_));
      return readable;
    }
    if (!sign_.empty()) {
      Result<void> done = sign_plan_file(out_, plan, sign_, valid, context.clock());
      if (!done) return done;
    }
    context.note(fmt::format(
        "saved to {}; next: {}", out_, context.command("apply " + remote::quote(out_))));
    return {};
  }

  // False for text and for events: there the diagnostics already tell of a plan that could not be
  // made. Every other format is one document.
  bool is_one_document(const Context& context) const {
    return !context.json() && format_ != report::plan_formats().front().name;
  }

  void show_refused(const Context& context, const std::vector<std::string>& files) const {
    if (!is_one_document(context)) return;
    const Result<std::unique_ptr<Document>> document = load_files(files);
    // Otherwise no finding about the document was the reason.
    if (document && !(*document)->valid())
      show(context, nullptr, (*document)->loaded.diagnostics, **document);
  }

  // `plan` is null if none could be made.
  void show(
      const Context& context,
      const plans::Plan* plan,
      const Diagnostics& findings,
      const Document& document) const {
    std::optional<execute::Estimate> time;
    if (plan != nullptr) time = estimate_here(*plan);
    if (context.json()) {
      report::emit_plan(context.events(), *plan, time);
    } else {
      context.result(report::write_as(
          format_,
          report::plan_formats(),
          {plan,
           findings,
           document.sources,
           undoes_ ? "fabric undo" : "fabric plan",
           time,
           &document.spec()},
          audience_of(context)));
    }
  }

  // Saved facts may be older than the runs here, so these runs are ignored for them.
  void show_drift(
      const Context& context,
      const workflow::Wanted& wanted,
      const workflow::Planned& planned,
      Diagnostics findings) const {
    const workflow::RunHistory history =
        context.options().facts.empty() ? run_history(planned.plan.fabric) : workflow::RunHistory{};
    const workflow::Drift drift = workflow::find_drift(wanted.desired(), planned, history);
    if (context.json()) {
      report::emit_drift(context.events(), planned.plan, drift);
      return;
    }
    findings.append(workflow::drift_findings(drift));
    findings.sort();
    context.result(report::write_as(
        format_,
        report::drift_formats(),
        {&planned.plan, &drift, findings, wanted.document->sources, "fabric plan"},
        audience_of(context)));
  }

  bool undoes_;
  std::string path_, run_, out_, sign_, valid_, format_, wait_for_cables_;
  // Kept to the end of the process, which gives the memory of a large plan back at once.
  std::optional<workflow::Wanted> wanted_;
  std::optional<workflow::Planned> planned_;
  NodeOptions nodes_;
  bool detailed_ = false;
  bool refresh_only_ = false;
  bool stage_ = false;
};

}  // namespace

std::unique_ptr<Verb> make_plan() {
  return std::make_unique<PlanVerb>(false);
}

std::unique_ptr<Verb> make_undo() {
  return std::make_unique<PlanVerb>(true);
}

}  // namespace fabric::cli
