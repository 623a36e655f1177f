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
#include "engine/report/verify/losses.hpp"
#include "engine/verify/what_if/any_loss.hpp"
#include "engine/verify/what_if/what_if.hpp"
#include "plans/plan_file.hpp"

namespace fabric::cli {

namespace {

class GraphVerb final : public Verb {
 public:
  void declare(CLI::App& app) override {
    app.add_option("PATH", path_, "document: a file or a directory")->default_val(".");
    app.add_option("--plan", plan_, "draw the actions of this plan file instead of the topology");
    std::vector<std::string> formats = report::names_of(report::topology_formats());
    for (const std::string& name : report::names_of(report::any_loss_formats()))
      formats.push_back(name);
    CLI::Option* format = add_format(app, format_, formats);
    given_format_ = format;
    app.add_option(
           "--any",
           any_,
           "don't draw: take every cable, card, host, switch, manager and rack out in turn (1), or "
           "every two of the cables and nodes (2), and say what is lost; formats human, json, html")
        ->type_name("NUMBER")
        ->check(CLI::Range(1, 2));
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
        // Or it would take PATH behind it for a third port.
        ->allow_extra_args(false)
        ->excludes(format);
  }

  Result<ExitCode> run(Context& context) override {
    if (any_ != 0) return any(context);
    FABRIC_TRY(
        check_format(format_, report::names_of(report::topology_formats()), "graph without --any"));
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
    // A drawing of a document with errors often shows them.
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

  Result<ExitCode> any(Context& context) {
    if (!plan_.empty() || !down_.empty() || !cut_.empty())
      return Error{
          ErrorCode::invalid, "--any takes out everything: leave out --plan, --down, --cut"};
    if (given_format_->empty()) format_ = report::any_loss_formats().front().name;
    FABRIC_TRY(check_format(format_, report::names_of(report::any_loss_formats()), "graph --any"));
    const std::unique_ptr<Document> document = FABRIC_TRY(load_path(path_));
    if (!document->valid()) {
      print_problems(context, document->sources, document->loaded.diagnostics);
      return ExitCode::invalid;
    }
    const FabricSpec& spec = document->spec();
    const verify::AnyLoss all =
        any_ == 1 ? verify::any_one(spec) : FABRIC_TRY(verify::any_two(spec));
    if (any_ != 1) FABRIC_TRY(check_format(format_, {"human", "json"}, "graph --any 2"));
    if (context.json()) {
      context.events().emit(
          "info",
          "any_loss",
          "what the loss of any one thing would cost, or of any two",
          {{"any_loss", report::any_loss_value(all)}});
    } else {
      context.result(
          report::write_as(format_, report::any_loss_formats(), {all, spec}, audience_of(context)));
    }
    return ExitCode::done;
  }

  // Computed from the document alone: no node is asked, and nothing is changed.
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
  int any_ = 0;
  const CLI::Option* given_format_ = nullptr;
  std::vector<std::string> cut_;
};

}  // namespace

std::unique_ptr<Verb> make_graph() {
  return std::make_unique<GraphVerb>();
}

}  // namespace fabric::cli
