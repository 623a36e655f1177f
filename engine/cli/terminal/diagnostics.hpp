// SPDX-License-Identifier: Apache-2.0
// Prints diagnostics: compiler style on standard error, or events with --json.
#pragma once

#include "engine/base/diagnostic.hpp"
#include "engine/base/source.hpp"
#include "engine/cli/terminal/context.hpp"

namespace fabric::cli {

void print(const Context& context, const SourceMap& sources, const Diagnostics& diagnostics);

// Prints only the errors: the warnings are in the plan and would be shown twice.
void print_errors(const Context& context, const SourceMap& sources, const Diagnostics& diagnostics);

// For verbs with a result of their own: errors and warnings, information only with -v.
void print_problems(
    const Context& context, const SourceMap& sources, const Diagnostics& diagnostics);

}  // namespace fabric::cli
