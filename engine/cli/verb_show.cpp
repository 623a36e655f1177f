#include <CLI/CLI.hpp>

#include "engine/base/limits.hpp"
#include "engine/cli/document.hpp"
#include "engine/cli/format.hpp"
#include "engine/cli/verb.hpp"
#include "engine/report/plan_commands.hpp"
#include "engine/report/plan_text.hpp"
#include "plans/plan_file.hpp"

namespace fabric::cli {

namespace {

class ShowVerb final : public Verb {
 public:
  void declare(CLI::App& app) override {
    app.add_option("FILE", file_, "plan file")->required();
    add_format(app, format_, {"human", "json", "commands"});
  }

  Result<ExitCode> run(Context& context) override {
    const std::string text = FABRIC_TRY(read_text_file(file_, limits::kDocumentBytes * 4));
    const Result<plans::Plan> plan = plans::parse_plan_file(text);
    if (!plan) return with_context(plan.error(), file_);
    if (context.json()) {
      report::emit_plan(context.events(), *plan);
    } else if (format_ == "json") {
      context.result(plans::to_plan_file(*plan));
    } else if (format_ == "commands") {
      context.result(report::plan_commands(*plan));
    } else {
      context.result(report::plan_text(*plan, context.output_style()));
    }
    return ExitCode::done;
  }

 private:
  std::string file_, format_;
};

}  // namespace

std::unique_ptr<Verb> make_show() {
  return std::make_unique<ShowVerb>();
}

}  // namespace fabric::cli
