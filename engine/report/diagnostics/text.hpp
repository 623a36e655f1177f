// SPDX-License-Identifier: Apache-2.0
// Diagnostics in the style of a compiler: the message, the place with the marked line, related
// places, and the help.
#pragma once

#include <string>

#include "engine/base/diagnostic.hpp"
#include "engine/base/source.hpp"
#include "engine/report/terminal/style.hpp"

namespace fabric::report {

// In the order given, each with an empty line after it. Findings of one rule at one place are shown
// as one (grouping.hpp); with Style::verbose all are shown.
Text diagnostics_text(const Diagnostics& diagnostics, const SourceMap& sources, const Style& style);

// "2 errors, 1 warning", or "no findings".
std::string diagnostics_summary(const Diagnostics& diagnostics);

}  // namespace fabric::report
