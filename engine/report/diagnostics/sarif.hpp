// SPDX-License-Identifier: Apache-2.0
// Diagnostics as SARIF 2.1.0, for code scanning pages and editors.
#pragma once

#include <string>

#include "engine/base/diagnostic.hpp"
#include "engine/base/source.hpp"

namespace fabric::report {

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
