// SPDX-License-Identifier: Apache-2.0
// Diagnostics as JSON: an object for each, with null where a diagnostic has no place.
#pragma once

#include <string>

#include "engine/base/diagnostic.hpp"
#include "engine/base/source.hpp"
#include "engine/value/value.hpp"

namespace fabric::report {

// {rule, severity, message, file, line, column, related: [{file, line, column, message}], help}.
// File, line and column are null for a finding without a place.
Value diagnostic_value(const Diagnostic& diagnostic, const SourceMap& sources);

// {"diagnostics": [...]}, in the order given, with a final newline.
std::string diagnostics_json(const Diagnostics& diagnostics, const SourceMap& sources);

}  // namespace fabric::report
