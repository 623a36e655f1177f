// What verify found, as data.
#pragma once

#include "engine/value/value.hpp"
#include "engine/verify/verify.hpp"

namespace fabric::report {

Value cable_value(const verify::CableReport& cable);
Value path_value(const verify::PathReport& path);
Value finding_value(const verify::Finding& finding);

// {"cables": [...], "findings": [...], "ok": bool, "paths": [...]}
Value verify_json(const verify::Report& report);

}  // namespace fabric::report
