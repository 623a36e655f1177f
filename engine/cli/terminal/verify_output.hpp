// SPDX-License-Identifier: Apache-2.0
// Prints the result of verify: text on standard output, or events with --json.
#pragma once

#include "engine/base/source.hpp"
#include "engine/cli/terminal/context.hpp"
#include "engine/verify/verify.hpp"

namespace fabric::cli {

void show(const Context& context, const verify::Report& report, const SourceMap& sources);

}  // namespace fabric::cli
