// SPDX-License-Identifier: Apache-2.0
// Diagnostics in the style of a compiler: the message, the place with the marked line, related
// places, and the help.
#pragma once

#include <string>

#include "engine/base/diagnostic.hpp"
#include "engine/base/source.hpp"
#include "engine/report/terminal/style.hpp"
#include "engine/value/value.hpp"

namespace fabric::report {

// In the order given, each with an empty line after it. Findings of one rule at one place are shown
// as one (grouping.hpp); with Style::verbose all are shown.
Text diagnostics_text(const Diagnostics& diagnostics, const SourceMap& sources, const Style& style);

// "2 errors, 1 warning", or "no findings".
std::string diagnostics_summary(const Diagnostics& diagnostics);

// Diagnostics as JSON: an object for each, with null where a diagnostic has no place.
// {rule, severity, message, file, line, column, related: [{file, line, column, message}], help}.
// File, line and column are null for a finding without a place.
Value diagnostic_value(const Diagnostic& diagnostic, const SourceMap& sources);

// {"diagnostics": [...]}, in the order given, with a final newline.
std::string diagnostics_json(const Diagnostics& diagnostics, const SourceMap& sources);

}  // namespace fabric::report
