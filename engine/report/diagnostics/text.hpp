// SPDX-License-Identifier: Apache-2.0
// Diagnostics as a compiler prints them: what is wrong, where, the line with the place marked,
// the other places that matter, and what to do.
#pragma once

#include <string>

#include "engine/base/diagnostic.hpp"
#include "engine/base/source.hpp"
#include "engine/report/terminal/style.hpp"

namespace fabric::report {

// In the order given, an empty line behind each. Findings of one rule at one place are shown as one
// (grouping.hpp); with Style::verbose all are.
Text diagnostics_text(const Diagnostics& diagnostics, const SourceMap& sources, const Style& style);

// "2 errors, 1 warning", or "no findings".
std::string diagnostics_summary(const Diagnostics& diagnostics);

}  // namespace fabric::report
