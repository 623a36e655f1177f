#include <CLI/CLI.hpp>

#include "engine/base/limits.hpp"
#include "engine/cli/state/document.hpp"
#include "engine/cli/terminal/diagnostics.hpp"
#include "engine/cli/terminal/format.hpp"
#include "engine/cli/verbs/verb.hpp"
#include "engine/report/formats.hpp"
#include "plans/plan_file.hpp"

namespace fabric::cli {

namespace {

class GraphVerb final : public Verb {
 public:
  void declare(CLI::App& app) override {
    app.add_option("PATH", path_, "document: a file or a directory")->default_val(".");
    app.add_option("--plan", plan_, "draw the actions of this plan file instead of the topology");
    add_format(app, format_, report::names_of(report::topology_formats()));
  }

  Result<ExitCode> run(Context& context) override {
    if (!plan_.empty()) {
      const std::string text = FABRIC_TRY(read_text_file(plan_, limits::kDocumentBytes * 4));
      const Result<plans::Plan> plan = plans::parse_plan_file(text);
      if (!plan) return with_context(plan.error(), plan_);
      return draw(
          context,
          report::write_as(format_, report::action_graph_formats(), *plan, audience_of(context)));
    }
    const std::unique_ptr<Document> document = FABRIC_TRY(load_path(path_));
    // A drawing of a wrong document often shows what is wrong with it.
    print_problems(context, document->sources, document->loaded.diagnostics);
    draw(
        context,
        report::write_as(
            format_, report::topology_formats(), document->spec(), audience_of(context)));
    return document->valid() ? ExitCode::done : ExitCode::invalid;
  }

 private:
  static ExitCode draw(const Context& context, const std::string& dot) {
    if (context.json()) {
      context.events().emit("info", "graph", "a drawing in the DOT language", {{"dot", dot}});
    } else {
      context.result(dot);
    }
    return ExitCode::done;
  }

  std::string path_, plan_, format_;
};

}  // namespace

std::unique_ptr<Verb> make_graph() {
  return std::make_unique<GraphVerb>();
}

}  // namespace fabric::cli
