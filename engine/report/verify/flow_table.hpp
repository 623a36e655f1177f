// SPDX-License-Identifier: Apache-2.0
// Measured flows as a table for people, and as CSV for a plot.
#pragma once

#include <string>
#include <vector>

#include "engine/report/terminal/text.hpp"
#include "engine/value/value.hpp"
#include "engine/verify/flows/flow.hpp"

namespace fabric::report {

// "" if no flow was to be measured.
Text flow_table(const std::vector<verify::FlowReport>& flows);
Value flow_value(const verify::FlowReport& report);
// RFC 4180: a header, one row a flow. Numbers are in Gb/s, empty where unknown.
std::string flow_csv(const std::vector<verify::FlowReport>& flows);

}  // namespace fabric::report
