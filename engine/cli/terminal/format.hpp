// SPDX-License-Identifier: Apache-2.0
// The option --format, the same for every verb that has it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "engine/cli/terminal/context.hpp"
#include "engine/report/format.hpp"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace fabric::cli {

// The first of `choices` is the default; with --json the verb emits events instead.
CLI::Option* add_format(
    CLI::App& app, std::string& format, const std::vector<std::string>& choices);

// For a verb that writes another document in some `mode`, "plan --refresh-only": fails with
// ErrorCode::invalid, naming the formats of that mode, if `format` is none of them.
Result<void> check_format(
    const std::string& format, const std::vector<std::string>& choices, std::string_view mode);

// The audience of a document on standard output.
report::Audience audience_of(const Context& context);

}  // namespace fabric::cli
