// SPDX-License-Identifier: Apache-2.0
#include "engine/cli/input/plan_input.hpp"

#include <filesystem>
#include <utility>

#include <fmt/format.h>

#include "engine/base/limits.hpp"
#include "engine/base/text.hpp"
#include "engine/cli/input/facts_io.hpp"
#include "engine/cli/session/connect.hpp"
#include "engine/cli/state/folders.hpp"
#include "engine/cli/state/images.hpp"
#include "engine/cli/state/process_identity.hpp"
#include "engine/cli/terminal/diagnostics.hpp"
#include "engine/files/read.hpp"
#include "engine/value/json_check.hpp"

namespace fabric::cli {

namespace {

namespace fs = std::filesystem;

// A plan is JSON and a document is YAML: the first character tells.
bool is_plan_text(std::string_view begin) {
  return trim(begin).starts_with('{');
}

// A shorter text is parsed without a check: the parser's error is enough.
constexpr std::size_t kShort = limits::kMebibyte;

Result<void> check_plan(const std::string& path, const NextPiece& next, std::size_t bytes) {
  const auto problem = check_json(next, json_bytes_most(bytes));
  if (!problem) return {};
  return Error{
      ErrorCode::invalid,
      fmt::format(
          "{}: line {}, column {}: {}", path, problem->line, problem->column, problem->what)};
}

}  // namespace

Result<std::optional<std::string>> plan_file_text(const std::string& path) {
  std::error_code failure;
  if (!fs::is_regular_file(path, failure)) return std::optional<std::string>{};
  {
    files::Pieces pieces =
        FABRIC_TRY(files::Pieces::open(path, limits::kPlanBytes, links_to(path)));
    if (!is_plan_text(pieces.next())) return std::optional<std::string>{};
  }
  return std::optional<std::string>{FABRIC_TRY(read_plan_text(path))};
}

Result<std::string> read_plan_text(const std::string& path) {
  const files::Links links = links_to(path);
  std::error_code failure;
  if (links == files::Links::followed && !fs::is_regular_file(path, failure)) {
    std::string text = FABRIC_TRY(files::read_argument(path, limits::kPlanByPipeBytes));
    std::string_view all = text;
    if (text.size() > kShort)
      FABRIC_TRY(check_plan(
          path, [&all] { return std::exchange(all, {}); }, text.size()));
    return text;
  }
  // Plans may have hundreds of megabytes: another large file is not read that far.
  files::Pieces pieces = FABRIC_TRY(files::Pieces::open(path, limits::kPlanBytes, links));
  if (pieces.bytes() > kShort)
    FABRIC_TRY(check_plan(
        path, [&pieces] { return pieces.next(); }, pieces.bytes()));
  return files::read_regular(path, limits::kPlanBytes, links);
}

Result<workflow::Planned> plan_now(
    Context& context, const workflow::Wanted& wanted, remote::StepRunner* runner, Random& random) {
  workflow::Planned planned = workflow::make_plan(
      wanted.desired(),
      FABRIC_TRY(read_facts(context, wanted, runner, random)),
      images_of({wanted.document->folder, context.options().trust_document}));
  print_errors(context, wanted.document->sources, planned.diagnostics);
  return planned;
}

Result<workflow::Planned> plan_now(Context& context, const workflow::Wanted& wanted) {
  Random random = fresh_random(context.clock());
  std::unique_ptr<remote::StepRunner> runner;
  if (context.options().facts.empty())
    runner = FABRIC_TRY(connect(context, *wanted.document, ssh::SessionLife::one_step));
  return plan_now(context, wanted, runner.get(), random);
}

}  // namespace fabric::cli
