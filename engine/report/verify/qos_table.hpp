// SPDX-License-Identifier: Apache-2.0
// The settings of lossless RoCE at both ends of cables, as a table and as data.
#pragma once

#include <vector>

#include "engine/report/terminal/style.hpp"
#include "engine/value/value.hpp"
#include "engine/verify/report/qos_report.hpp"

namespace fabric::report {

// "" if none are asked for. Ports with right settings are only counted, unless verbose.
Text qos_table(const std::vector<verify::QosReport>& reports, const Style& style);
// {"where", "network", "ok", "parts": [{"part", "wanted", "found"?, "why_unknown"?}], "counted"?:
// {counter: its increase}}
Value qos_value(const verify::QosReport& report);

}  // namespace fabric::report
