// SPDX-License-Identifier: Apache-2.0
#include <filesystem>

#include <CLI/CLI.hpp>

#include "engine/cli/input/plan_input.hpp"
#include "engine/cli/state/run_folder.hpp"
#include "engine/cli/terminal/format.hpp"
#include "engine/cli/verbs/verb.hpp"
#include "engine/report/formats.hpp"
#include "engine/report/plan/plan_text.hpp"
#include "engine/report/run/run_text.hpp"
#include "plans/plan_file.hpp"

namespace fabric::cli {

namespace {

class ShowVerb final : public Verb {
 public:
  void declare(CLI::App& app) override {
    app.add_option("FILE", file_, "plan file, or the name of a run")->required();
    add_format(app, format_, report::names_of(report::plan_formats()));
  }

  Result<ExitCode> run(Context& context) override {
    std::error_code failure;
    if (!std::filesystem::exists(file_, failure) && is_run_id(file_)) return show_run(context);
    return show_plan(context, file_);
  }

 private:
  Result<ExitCode> show_plan(Context& context, const std::string& path) const {
    const std::string text = FABRIC_TRY(read_plan_text(path));
    const Result<plans::Plan> plan = plans::parse_plan_file(text);
    if (!plan) return with_context(plan.error(), path);
    if (context.json()) {
      report::emit_plan(context.events(), *plan);
    } else {
      SourceMap sources;
      const Diagnostics findings = report::plan_findings(*plan, sources);
      context.result(report::write_as(
          format_,
          report::plan_formats(),
          {&*plan, findings, sources, "fabric plan"},
          audience_of(context)));
    }
    return ExitCode::done;
  }

  // Shows the outcome of a run. Its plan is shown as any other plan file.
  Result<ExitCode> show_run(Context& context) const {
    if (context.json() || format_ != "human") {
      const std::string path = FABRIC_TRY(run_folder(file_)) + "/plan.json";
      return show_plan(context, path);
    }
    const execute::RunRecord record = FABRIC_TRY(recorded_run(file_));
    context.result(report::run_text(record, context.output_style()));
    return ExitCode::done;
  }

  std::string file_, format_;
};

}  // namespace

std::unique_ptr<Verb> make_show() {
  return std::make_unique<ShowVerb>();
}

}  // namespace fabric::cli
