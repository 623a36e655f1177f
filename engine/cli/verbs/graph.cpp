// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "engine/cli/input/plan_input.hpp"
#include "engine/cli/state/document.hpp"
#include "engine/cli/terminal/diagnostics.hpp"
#include "engine/cli/terminal/format.hpp"
#include "engine/cli/verbs/verb.hpp"
#include "engine/model/node_set.hpp"
#include "engine/report/formats.hpp"
#include "engine/report/verify/losses_text.hpp"
#include "engine/verify/what_if/what_if.hpp"
#include "plans/plan_file.hpp"

namespace fabric::cli {

namespace {

class GraphVerb final : public Verb {
 public:
  void declare(CLI::App& app) override {
    app.add_option("PATH", path_, "document: a file or a directory")->default_val(".");
    app.add_option("--plan", plan_, "draw the actions of this plan file instead of the topology");
    CLI::Option* format = add_format(app, format_, report::names_of(report::topology_formats()));
    app.add_option(
           "--down",
           down_,
           "don't draw: say what is lost if these nodes are down, for example 'pve[1-2]'")
        ->type_name("NODESET")
        ->excludes(format);
    app.add_option(
           "--cut",
           cut_,
           "don't draw: say what is lost without the cable of these two ports; may be repeated")
        ->type_name("PORT PORT")
        ->expected(2)
        ->take_all()
        ->excludes(format);
  }

  Result<ExitCode> run(Context& context) override {
    if (!plan_.empty()) {
      FABRIC_TRY(
          check_format(format_, report::names_of(report::action_graph_formats()), "graph --plan"));
      const std::string text = FABRIC_TRY(read_plan_text(plan_));
      const Result<plans::Plan> plan = plans::parse_plan_file(text);
      if (!plan) return with_context(plan.error(), plan_);
      return draw(
          context,
          report::write_as(format_, report::action_graph_formats(), *plan, audience_of(context)));
    }
    const std::unique_ptr<Document> document = FABRIC_TRY(load_path(path_));
    if (!down_.empty() || !cut_.empty()) return what_if(context, *document);
    // A drawing of a wrong document often shows what is wrong with it.
    print_problems(context, document->sources, document->loaded.diagnostics);
    draw(
        context,
        report::write_as(
            format_, report::topology_formats(), document->spec(), audience_of(context)));
    return document->valid() ? ExitCode::done : ExitCode::invalid;
  }

 private:
  ExitCode draw(const Context& context, const report::Text& drawing) const {
    if (context.json()) {
      context.events().emit("info", "graph", "a drawing", {{format_, drawing.str()}});
    } else {
      context.result(drawing);
    }
    return ExitCode::done;
  }

  // By the document alone: nobody is asked, and nothing is changed.
  Result<ExitCode> what_if(Context& context, const Document& document) const {
    if (!document.valid()) {
      print_problems(context, document.sources, document.loaded.diagnostics);
      return ExitCode::invalid;
    }
    const FabricSpec& spec = document.spec();
    verify::Outage outage;
    if (!down_.empty()) {
      const std::vector<std::string> names = FABRIC_TRY(expand_name_list(down_));
      for (const std::string& name : names) {
        const NodeSpec* node = spec.find_node(name);
        if (node == nullptr)
          return Error{
              ErrorCode::not_found, fmt::format("--down: the document has no node {}", name)};
        outage.down.insert(node->name);
      }
    }
    for (std::size_t i = 0; i + 1 < cut_.size(); i += 2) {
      const Result<PortRef> a = verify::cable_end(spec, cut_[i]);
      if (!a) return with_context(a.error(), "--cut");
      const Result<PortRef> b = verify::cable_end(spec, cut_[i + 1]);
      if (!b) return with_context(b.error(), "--cut");
      outage.cut.emplace_back(*a, *b);
    }
    const Result<verify::Losses> losses = verify::losses(spec, outage);
    if (!losses) return with_context(losses.error(), "--cut");
    if (context.json()) {
      context.events().emit(
          "info",
          "what_if",
          "what an outage would cost",
          {{"what_if", report::losses_value(outage, *losses)}});
    } else {
      context.result(report::losses_text(outage, *losses, context.output_style()));
    }
    return ExitCode::done;
  }

  std::string path_, plan_, format_, down_;
  std::vector<std::string> cut_;
};

}  // namespace

std::unique_ptr<Verb> make_graph() {
  return std::make_unique<GraphVerb>();
}

}  // namespace fabric::cli
