// SPDX-License-Identifier: Apache-2.0
// Diagnostics as JUnit XML, for the test pages of CI systems.
#pragma once

#include <string>
#include <string_view>

#include "engine/base/diagnostic.hpp"
#include "engine/base/source.hpp"

namespace fabric::report {

// One test suite per source file: one failed case per error, one passed case with output per
// warning or information, and a passed case "valid" for a file without errors. Findings without a
// place are in a suite "fabric". `title` is the name of all suites: "fabric validate".
std::string diagnostics_junit(
    const Diagnostics& diagnostics, const SourceMap& sources, std::string_view title);

}  // namespace fabric::report
