// SPDX-License-Identifier: Apache-2.0
// The option --format, the same for every verb that has it.
#pragma once

#include <string>
#include <vector>

#include "engine/cli/terminal/context.hpp"
#include "engine/report/format.hpp"

namespace CLI {
class App;
}  // namespace CLI

namespace fabric::cli {

// The first of `choices` is the default; with --json the verb emits events instead.
void add_format(CLI::App& app, std::string& format, const std::vector<std::string>& choices);

// Whom a document on standard output is written for.
report::Audience audience_of(const Context& context);

}  // namespace fabric::cli
