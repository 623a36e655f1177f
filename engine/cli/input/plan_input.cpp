#include "engine/cli/input/plan_input.hpp"

#include <filesystem>

#include "engine/base/limits.hpp"
#include "engine/base/text.hpp"
#include "engine/cli/state/document.hpp"

namespace fabric::cli {

namespace {

// A plan is JSON and a document is YAML: the first character tells.
bool is_plan_text(std::string_view text) {
  return trim(text).starts_with('{');
}

}  // namespace

Result<std::optional<std::string>> plan_file_text(const std::string& path) {
  std::error_code failure;
  if (!std::filesystem::is_regular_file(path, failure)) return std::optional<std::string>{};
  std::string text = FABRIC_TRY(read_text_file(path, limits::kDocumentBytes * 4));
  if (!is_plan_text(text)) return std::optional<std::string>{};
  return std::optional<std::string>{std::move(text)};
}

}  // namespace fabric::cli
