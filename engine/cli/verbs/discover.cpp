#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "engine/cli/input/facts_io.hpp"
#include "engine/cli/input/read_wanted.hpp"
#include "engine/cli/session/connect.hpp"
#include "engine/cli/state/process_identity.hpp"
#include "engine/cli/terminal/diagnostics.hpp"
#include "engine/cli/verbs/verb.hpp"
#include "engine/report/discover_json.hpp"
#include "engine/report/terminal/style.hpp"
#include "engine/value/json.hpp"
#include "engine/workflow/discovering.hpp"
#include "engine/workflow/resources.hpp"

namespace fabric::cli {

namespace {

class DiscoverVerb final : public Verb {
 public:
  void declare(CLI::App& app) override {
    app.add_option("PATH", path_, "document: a file or a directory")->default_val(".");
    app.add_option("--limit", limit_, "only these nodes, for example 'pve[1-2]'");
    app.add_option("--save", save_, "write each node's raw facts to this directory, for --facts");
  }

  Result<ExitCode> run(Context& context) override {
    const std::vector<std::string> files = FABRIC_TRY(document_files(path_));
    const workflow::Wanted wanted = FABRIC_TRY(read_wanted(context, files, limit_));
    Random random = fresh_random(context.clock());
    std::unique_ptr<remote::StepRunner> runner;
    if (context.options().facts.empty()) {
      runner = FABRIC_TRY(connect(context, wanted.document->spec()));
    }
    std::vector<NodeFacts> facts = FABRIC_TRY(read_facts(context, wanted, runner.get(), random));
    if (!save_.empty()) {
      const Result<void> saved = save_facts(save_, facts);
      if (!saved) return saved.error();
      context.note(fmt::format(
          "facts of {} saved in {}; use them with --facts {}",
          report::count(facts.size(), "node"),
          save_,
          save_));
    }
    Diagnostics diagnostics;
    const discovery::Snapshot snapshot =
        workflow::observe(wanted.desired(), std::move(facts), diagnostics);
    print_problems(context, wanted.document->sources, diagnostics);
    const Value result = report::discover_json(snapshot);
    if (context.json()) {
      context.events().emit("info", "discover_result", "what was observed", {{"result", result}});
    } else {
      context.result(to_json_pretty(result));
    }
    return workflow::complete(snapshot) ? ExitCode::done : ExitCode::unreachable;
  }

 private:
  std::string path_, limit_, save_;
};

}  // namespace

std::unique_ptr<Verb> make_discover() {
  return std::make_unique<DiscoverVerb>();
}

}  // namespace fabric::cli
