// SPDX-License-Identifier: Apache-2.0
#include "engine/cli/input/read_wanted.hpp"

#include "engine/base/text.hpp"
#include "engine/cli/state/process_identity.hpp"
#include "engine/cli/terminal/diagnostics.hpp"

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

Result<workflow::Wanted> wanted_of(const Context& context, const plans::Plan& plan) {
  workflow::NodeChoice choice;
  std::vector<std::string> limit;
  for (const NodeName& node : plan.limit)
    limit.push_back(node.str());
  choice.limit = join(limit, ",");
  for (const auto& [name, node] : plan.nodes) {
    if (node.offline) choice.down.insert(name.str());
  }
  // Compared with the plan before anything of them is shown: the plan file says which files these
  // are, and findings show their lines.
  std::unique_ptr<Document> document = FABRIC_TRY(load_inputs(plan.inputs));
  workflow::Wanted wanted = FABRIC_TRY(wanted_from(context, std::move(document), choice));
  workflow::want_as_planned(wanted, plan);
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
