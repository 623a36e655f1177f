// SPDX-License-Identifier: Apache-2.0
#include "engine/cli/terminal/format.hpp"

#include <filesystem>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "engine/base/text.hpp"

namespace fabric::cli {

void add_format(CLI::App& app, std::string& format, const std::vector<std::string>& choices) {
  format = choices.front();
  app.add_option("--format", format, join(choices, ", "))
      ->check(CLI::IsMember(choices))
      ->capture_default_str()
      ->type_name("FORMAT");
}

report::Audience audience_of(const Context& context) {
  std::error_code failure;
  return {context.output_style(), FABRIC_VERSION, std::filesystem::current_path(failure).string()};
}

}  // namespace fabric::cli
