// SPDX-License-Identifier: Apache-2.0
// Diagnostics for the pages of CI systems and of sites that hold code.
#pragma once

#include <string>
#include <string_view>

#include "engine/base/diagnostic.hpp"
#include "engine/base/source.hpp"
#include "engine/report/terminal/text.hpp"

namespace fabric::report {

// Diagnostics as workflow commands of GitHub Actions: annotations on the changed lines.
// One line per group of findings (grouping.hpp), since GitHub shows ten annotations of a step.
// Paths are made relative to `root`, the checkout; relative ones are from `folder` (grouping.hpp).
Text diagnostics_github(
    const Diagnostics& diagnostics,
    const SourceMap& sources,
    const std::string& root,
    const std::string& folder = {});

// Diagnostics as JUnit XML, for the test pages of CI systems.
// One test suite per source file: one failed case per error, one passed case with output per
// warning or information, and a passed case "valid" for a file without errors. Findings without a
// place are in a suite "fabric". `title` is the name of all suites: "fabric validate".
std::string diagnostics_junit(
    const Diagnostics& diagnostics, const SourceMap& sources, std::string_view title);

// Diagnostics as SARIF 2.1.0, for code scanning pages and editors.
struct SarifOptions {
  std::string version;   // of fabric
  std::string root;      // the checkout that paths are made relative to; may be empty
  std::string folder{};  // to which relative paths are relative; "" = the root
};

// A log with one run. Fingerprints are over rule, file and the text of the line, so that a finding
// stays the same when lines above it move.
std::string diagnostics_sarif(
    const Diagnostics& diagnostics, const SourceMap& sources, const SarifOptions& options);

}  // namespace fabric::report
