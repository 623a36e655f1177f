// SPDX-License-Identifier: Apache-2.0
// The result of verify, for people: tables that count what is right, and findings by cause.
#pragma once

#include <string>

#include "engine/base/diagnostic.hpp"
#include "engine/base/source.hpp"
#include "engine/report/terminal/style.hpp"
#include "engine/verify/verify.hpp"

namespace fabric::report {

// Consequences of other findings are counted there; with Style::verbose they are shown too.
Text verify_text(const verify::Report& report, const SourceMap& sources, const Style& style);

// The findings that no other finding explains.
Diagnostics causes(const verify::Report& report);

// The verdict in a sentence, with the number of things judged: "2 errors; 36 of 40 cables judged."
std::string verify_verdict(const verify::Report& report, const Diagnostics& shown);

// All findings, for the formats of findings.
Diagnostics verify_findings(const verify::Report& report);

}  // namespace fabric::report
