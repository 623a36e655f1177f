// SPDX-License-Identifier: Apache-2.0
#include <CLI/CLI.hpp>

#include "engine/cli/state/run_folder.hpp"
#include "engine/cli/verbs/verb.hpp"
#include "engine/report/run/run_text.hpp"

namespace fabric::cli {

namespace {

class HistoryVerb final : public Verb {
 public:
  void declare(CLI::App& /*app*/) override {}

  Result<ExitCode> run(Context& context) override {
    const std::vector<execute::RunRecord> runs = FABRIC_TRY(recorded_runs());
    if (!context.json()) {
      context.result(report::history_text(runs));
      return ExitCode::done;
    }
    for (const execute::RunRecord& run : runs) {
      Map fields{
          {"run", run.run},
          {"fabric", run.fabric},
          {"started", run.started},
          {"ended", run.ended},
          {"complete", run.is_complete()}};
      if (!run.undoes.empty()) fields.emplace("undoes", run.undoes);
      context.events().emit("info", "run", report::outcome_text(run), std::move(fields));
    }
    return ExitCode::done;
  }
};

}  // namespace

std::unique_ptr<Verb> make_history() {
  return std::make_unique<HistoryVerb>();
}

}  // namespace fabric::cli
