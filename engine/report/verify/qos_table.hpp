// SPDX-License-Identifier: Apache-2.0
// Lossless RoCE at both ends, as a table and as data.
#pragma once

#include <vector>

#include "engine/report/terminal/style.hpp"
#include "engine/value/value.hpp"
#include "engine/verify/report/qos_report.hpp"

namespace fabric::report {

// "" where nothing is asked for. Ports that are right are counted, and listed where all is.
Text qos_table(const std::vector<verify::QosReport>& reports, const Style& style);
// {"where", "network", "ok", "parts": [{"part", "wanted", "found"?, "why_unknown"?}], "counted"?:
// {name: by how many}}
Value qos_value(const verify::QosReport& report);

}  // namespace fabric::report
