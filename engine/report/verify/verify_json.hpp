// What verify found, as data.
#pragma once

#include "engine/value/value.hpp"
#include "engine/verify/verify.hpp"

namespace fabric::report {

Value cable_value(const verify::CableReport& cable);
// {"ends", "state": "unexpected"}
Value cable_value(const verify::UnexpectedCable& cable);
Value path_value(const verify::PathReport& path);
Value counter_value(const verify::CounterReport& counter);
Value failover_value(const verify::FailoverReport& report);
Value finding_value(const verify::Finding& finding);

// {"cables": [...], "counters": [...], "failovers": [...], "findings": [...], "flows": [...],
// "ok": bool, "paths": [...]}
Value verify_json(const verify::Report& report);

}  // namespace fabric::report
