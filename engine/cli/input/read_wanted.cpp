#include "engine/cli/input/read_wanted.hpp"

#include "engine/cli/terminal/diagnostics.hpp"

namespace fabric::cli {

Error already_printed() {
  return {ErrorCode::invalid, ""};
}

Result<workflow::Wanted> read_wanted(
    const Context& context, const std::vector<std::string>& files, const std::string& limit) {
  std::unique_ptr<Document> document = FABRIC_TRY(load_files(files));
  print_problems(context, document->sources, document->loaded.diagnostics);
  if (!document->valid()) return already_printed();
  return workflow::want(std::move(document), limit);
}

Result<workflow::Wanted> wanted_of(const Context& context, const plans::Plan& plan) {
  std::vector<std::string> files;
  for (const plans::InputFile& input : plan.inputs)
    files.push_back(input.path);
  workflow::Wanted wanted = FABRIC_TRY(read_wanted(context, files, ""));
  workflow::want_as_planned(wanted, plan);
  if (Result<void> same = workflow::check_inputs(plan, *wanted.document); !same)
    return std::move(same).error();
  return wanted;
}

Result<void> want_cables(workflow::Wanted& wanted, const std::string& option) {
  if (option.empty()) return {};
  const Result<Duration> wait = parse_duration(option);
  if (!wait) return with_context(wait.error(), "--wait-for-cables");
  if (wanted.stage) {
    return Error{
        ErrorCode::invalid,
        "--stage activates nothing, so no port gets a carrier: --wait-for-cables excludes it"};
  }
  workflow::want_cables(wanted, *wait);
  return {};
}

}  // namespace fabric::cli
