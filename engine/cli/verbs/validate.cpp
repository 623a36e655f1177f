// SPDX-License-Identifier: Apache-2.0
#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "engine/cli/state/document.hpp"
#include "engine/cli/terminal/diagnostics.hpp"
#include "engine/cli/terminal/format.hpp"
#include "engine/cli/verbs/verb.hpp"
#include "engine/report/diagnostics/text.hpp"
#include "engine/report/formats.hpp"
#include "engine/workflow/wanted.hpp"

namespace fabric::cli {

namespace {

class ValidateVerb final : public Verb {
 public:
  void declare(CLI::App& app) override {
    app.add_option("PATH", path_, "document: a file or a directory")->default_val(".");
    add_format(app, format_, report::names_of(report::findings_formats()));
  }

  Result<ExitCode> run(Context& context) override {
    std::unique_ptr<Document> read = FABRIC_TRY(load_path(path_));
    workflow::judge_platforms(*read);
    const Document& document = keep(std::move(read));
    const Diagnostics& diagnostics = document.loaded.diagnostics;
    if (context.json() || format_ == "human") {
      print(context, document.sources, diagnostics);
      context.result(report::compose("{}\n", summary(document)));
      const Diagnostic* wrong = diagnostics.first_error();
      context.hint(
          wrong == nullptr ? context.command("plan", path_)
                           : context.command("explain " + wrong->rule));
    } else {
      context.result(report::write_as(
          format_,
          report::findings_formats(),
          {diagnostics, document.sources, "fabric validate"},
          audience_of(context)));
    }
    return document.valid() ? ExitCode::done : ExitCode::invalid;
  }

 private:
  static std::string summary(const Document& document) {
    const FabricSpec& spec = document.spec();
    if (!document.valid()) return report::diagnostics_summary(document.loaded.diagnostics);
    std::size_t cables = 0;
    for (const auto& [name, network] : spec.networks)
      cables += network.cables.size();
    std::string text = fmt::format(
        "{} is valid: {}, {}, {}",
        spec.name.value,
        report::count(spec.nodes.size(), "node"),
        report::count(spec.networks.size(), "network"),
        report::count(cables, "cable"));
    if (!document.loaded.diagnostics.empty()) {
      text += "; " + report::diagnostics_summary(document.loaded.diagnostics);
    }
    return text;
  }

  std::string path_, format_;
};

}  // namespace

std::unique_ptr<Verb> make_validate() {
  return std::make_unique<ValidateVerb>();
}

}  // namespace fabric::cli
