// SPDX-License-Identifier: Apache-2.0
// Diagnostics as workflow commands of GitHub Actions: annotations on the changed lines.
#pragma once

#include <string>

#include "engine/base/diagnostic.hpp"
#include "engine/base/source.hpp"
#include "engine/report/terminal/text.hpp"

namespace fabric::report {

// One line per group of findings (grouping.hpp), since GitHub shows ten annotations of a step.
// Paths are made relative to `root`, the checkout; relative ones are from `folder` (place.hpp).
Text diagnostics_github(
    const Diagnostics& diagnostics,
    const SourceMap& sources,
    const std::string& root,
    const std::string& folder = {});

}  // namespace fabric::report
