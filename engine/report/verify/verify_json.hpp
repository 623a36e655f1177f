// What verify found, as data.
#pragma once

#include <cstddef>

#include "engine/base/source.hpp"
#include "engine/value/value.hpp"
#include "engine/verify/verify.hpp"

namespace fabric::report {

Value cable_value(const verify::CableReport& cable);
// {"ends", "state": "unexpected"}
Value cable_value(const verify::UnexpectedCable& cable);
Value path_value(const verify::PathReport& path);
Value counter_value(const verify::CounterReport& counter);
Value failover_value(const verify::FailoverReport& report);
// As of every diagnostic (diagnostics/json); of a consequence also {"cause": {"rule", "message"}}.
Value finding_value(const verify::Report& report, std::size_t index, const SourceMap& sources);

// {"cables": [...], "counters": [...], "failovers": [...], "findings": [...], "flows": [...],
// "managers": [...], "ok": bool, "paths": [...]}
Value verify_json(const verify::Report& report, const SourceMap& sources);

}  // namespace fabric::report
