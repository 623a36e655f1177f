// SPDX-License-Identifier: Apache-2.0
#include "engine/cli/terminal/format.hpp"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <utility>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "engine/base/text.hpp"

namespace fabric::cli {

CLI::Option* add_format(
    CLI::App& app, std::string& format, const std::vector<std::string>& choices) {
  format = choices.front();
  return app.add_option("--format", format, join(choices, ", "))
      ->check(CLI::IsMember(choices))
      ->capture_default_str()
      ->type_name("FORMAT");
}

Result<void> check_format(
    const std::string& format, const std::vector<std::string>& choices, std::string_view mode) {
  if (std::find(choices.begin(), choices.end(), format) != choices.end()) return {};
  return Error{
      ErrorCode::invalid,
      fmt::format("--format {}: {} writes {}", format, mode, join(choices, ", "))};
}

report::Audience audience_of(const Context& context) {
  std::error_code failure;
  const std::string folder = std::filesystem::current_path(failure).string();
  std::string root = context.options().started_in;
  // A job may have entered a folder of the checkout; annotations are of the checkout.
  // NOLINTNEXTLINE(concurrency-mt-unsafe): nothing changes the environment.
  const char* workspace = std::getenv("GITHUB_WORKSPACE");
  if (workspace != nullptr && *workspace == '/' && folder.starts_with(workspace)) root = workspace;
  return {context.output_style(), FABRIC_VERSION, std::move(root), folder};
}

}  // namespace fabric::cli
