#include "engine/cli/plan_input.hpp"

#include <filesystem>

#include <fmt/format.h>

#include "engine/base/limits.hpp"
#include "engine/base/text.hpp"

namespace fabric::cli {

namespace {

// A plan is JSON and a document is YAML: the first character tells.
bool is_plan_text(std::string_view text) {
  return trim(text).starts_with('{');
}

// The document must still be what the plan was made from.
Result<void> check_inputs(const plans::Plan& plan, const Document& document) {
  for (std::size_t i = 0; i < plan.inputs.size(); ++i) {
    const plans::InputFile& expected = plan.inputs[i];
    const plans::InputFile& found = document.inputs[i];
    if (expected.sha256 == found.sha256) continue;
    return Error{
        ErrorCode::stale,
        fmt::format(
            "{} has changed since the plan was made: expected {}, found {}",
            expected.path,
            expected.sha256,
            found.sha256)};
  }
  return {};
}

// What the plan was told by --wait-for-cables.
std::optional<Duration> wait_for_cables_of(const plans::Plan& plan) {
  for (const plans::Action& action : plan.actions) {
    for (const Condition& condition : action.draft.postconditions) {
      if (condition.address.kind == "cable") return action.draft.timeout;
    }
  }
  return std::nullopt;
}

}  // namespace

Result<std::optional<std::string>> plan_file_text(const std::string& path) {
  std::error_code failure;
  if (!std::filesystem::is_regular_file(path, failure)) return std::optional<std::string>{};
  std::string text = FABRIC_TRY(read_text_file(path, limits::kDocumentBytes * 4));
  if (!is_plan_text(text)) return std::optional<std::string>{};
  return std::optional<std::string>{std::move(text)};
}

Result<Wanted> wanted_of(const Context& context, const plans::Plan& plan) {
  std::vector<std::string> files;
  for (const plans::InputFile& input : plan.inputs)
    files.push_back(input.path);
  Wanted wanted = FABRIC_TRY(read_wanted(context, files, ""));
  wanted.stage = plan.stage;
  if (const std::optional<Duration> wait = wait_for_cables_of(plan); wait)
    want_cables(wanted, *wait);
  if (Result<void> same = check_inputs(plan, *wanted.document); !same)
    return std::move(same).error();
  return wanted;
}

}  // namespace fabric::cli
