// SPDX-License-Identifier: Apache-2.0
// The result of verify for people and for programs.
#pragma once

#include <cstddef>
#include <string>

#include "engine/base/diagnostic.hpp"
#include "engine/base/source.hpp"
#include "engine/report/terminal/style.hpp"
#include "engine/value/value.hpp"
#include "engine/verify/verify.hpp"

namespace fabric::report {

// The result of verify, for people: tables that count what is right, and findings by cause.
// Consequences of other findings are counted there; with Style::verbose they are shown too.
Text verify_text(const verify::Report& report, const SourceMap& sources, const Style& style);

// The findings that no other finding explains.
Diagnostics causes(const verify::Report& report);

// The verdict in a sentence, with the number of things judged: "2 errors; 36 of 40 cables judged."
std::string verify_verdict(const verify::Report& report, const Diagnostics& shown);

// All findings, for the formats of findings.
Diagnostics verify_findings(const verify::Report& report);

// The result of verify, as data.
Value cable_value(const verify::CableReport& cable);
// {"ends", "state": "unexpected"}
Value cable_value(const verify::UnexpectedCable& cable);
Value path_value(const verify::PathReport& path);
Value counter_value(const verify::CounterReport& counter);
// {"port", "address", "rdma"} and, where there is a GID of RoCE v2, {"gid_index"}.
Value roce_value(const verify::RoceAddressReport& report);
Value failover_value(const verify::FailoverReport& report);
// The keys of diagnostics/json; for a consequence also {"cause": {"rule", "message"}}.
Value finding_value(const verify::Report& report, std::size_t index, const SourceMap& sources);

// {"cables": [...], "counters": [...], "failovers": [...], "findings": [...], "flows": [...],
// "links": [...], "managers": [...], "ok": bool, "paths": [...], "qos"?: [...] (where the document
// asks for it), "roce_addresses": [...]}
Value verify_json(const verify::Report& report, const SourceMap& sources);

}  // namespace fabric::report
