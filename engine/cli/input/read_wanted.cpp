// SPDX-License-Identifier: Apache-2.0
#include "engine/cli/input/read_wanted.hpp"

#include <filesystem>

#include "engine/base/text.hpp"
#include "engine/cli/input/plan_input.hpp"
#include "engine/cli/state/process_identity.hpp"
#include "engine/cli/state/run_folder.hpp"
#include "engine/cli/terminal/diagnostics.hpp"
#include "plans/plan_file.hpp"

namespace fabric::cli {

Error already_printed() {
  return {ErrorCode::invalid, ""};
}

namespace {

Result<workflow::Wanted> wanted_from(
    const Context& context,
    std::unique_ptr<Document> document,
    const workflow::NodeChoice& choice) {
  print_problems(context, document->sources, document->loaded.diagnostics);
  if (!document->valid()) return already_printed();
  workflow::Wanted wanted = FABRIC_TRY(workflow::want(std::move(document), choice));
  wanted.own = this_machine();
  return wanted;
}

}  // namespace

Result<workflow::Wanted> read_wanted(
    const Context& context,
    const std::vector<std::string>& files,
    const workflow::NodeChoice& choice) {
  return wanted_from(context, FABRIC_TRY(load_files(files)), choice);
}

namespace {

Result<std::shared_ptr<const plans::UndoneRun>> recorded(const std::string& run) {
  const std::string path = FABRIC_TRY(run_folder(run)) + "/plan.json";
  Result<plans::Plan> plan = plans::parse_plan_file(FABRIC_TRY(read_plan_text(path)));
  if (!plan) return with_context(plan.error(), path);
  auto undone = std::make_shared<plans::UndoneRun>(plans::UndoneRun{run, *std::move(plan), {}});
  // A run that was resumed did a part of the same plan before.
  for (const execute::RunRecord& record : FABRIC_TRY(recorded_runs())) {
    if (record.run != run && (record.plan != undone->plan.digest || record.run > run)) continue;
    // An action may have been done in passing by another one, as a bond takes its slaves along. Its
    // work is undone by the action that was planned for it.
    for (const execute::RecordedAction& action : record.actions)
      if (action.was_begun() || action.state == execute::ActionState::already_satisfied)
        undone->begun.insert(action.id);
  }
  return std::shared_ptr<const plans::UndoneRun>{std::move(undone)};
}

Result<workflow::Wanted> wanted_for(
    const Context& context, const plans::Plan& plan, const std::vector<std::string>& names = {}) {
  workflow::NodeChoice choice;
  std::vector<std::string> limit;
  for (const NodeName& node : plan.limit)
    limit.push_back(node.str());
  choice.limit = join(limit, ",");
  for (const auto& [name, node] : plan.nodes) {
    if (node.offline) choice.down.insert(name.str());
  }
  // Compared with the plan before any content is shown: the plan file names these files, and
  // findings show their lines.
  std::unique_ptr<Document> document = FABRIC_TRY(load_inputs(plan.inputs, names));
  workflow::Wanted wanted = FABRIC_TRY(wanted_from(context, std::move(document), choice));
  workflow::want_as_planned(wanted, plan);
  if (!plan.undoes.empty()) wanted.undone = FABRIC_TRY(recorded(plan.undoes));
  return wanted;
}

}  // namespace

Result<workflow::Wanted> wanted_of(const Context& context, const plans::Plan& plan) {
  return wanted_for(context, plan);
}

Result<workflow::Wanted> wanted_before(const Context& context, const std::string& run) {
  const std::shared_ptr<const plans::UndoneRun> undone = FABRIC_TRY(recorded(run));
  const std::string folder = FABRIC_TRY(run_folder(run));
  plans::Plan plan = undone->plan;
  plan.undoes.clear();
  std::vector<std::string> names;
  for (plans::InputFile& input : plan.inputs) {
    // For the plan of an undo: its inputs are the files that the undone run had kept.
    const std::filesystem::path given{input.path};
    names.push_back(undone->plan.undoes.empty() ? input.path : given.filename().string());
    std::string kept = document_of_run(folder, input.path);
    std::error_code failure;
    if (std::filesystem::exists(kept, failure)) input.path = std::move(kept);
  }
  workflow::Wanted wanted = FABRIC_TRY(wanted_for(context, plan, names));
  wanted.undone = undone;
  return wanted;
}

Result<void> want_cables(workflow::Wanted& wanted, const std::string& option) {
  if (option.empty()) return {};
  const Result<Duration> wait = parse_duration(option);
  if (!wait) return with_context(wait.error(), "--wait-for-cables");
  if (wanted.stage) {
    return Error{
        ErrorCode::invalid,
        "--stage activates nothing, so no port gets a carrier: leave --wait-for-cables out"};
  }
  workflow::want_cables(wanted, *wait);
  return {};
}

}  // namespace fabric::cli
