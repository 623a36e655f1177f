// SPDX-License-Identifier: Apache-2.0
// Tables of the result of verify.
#pragma once

#include <string>
#include <vector>

#include "engine/report/terminal/style.hpp"
#include "engine/report/terminal/text.hpp"
#include "engine/value/value.hpp"
#include "engine/verify/flows/flow.hpp"
#include "engine/verify/report/reports.hpp"

namespace fabric::report {

// Measured flows as a table for people, and as CSV for a plot.
// "" if no flow was to be measured.
Text flow_table(const std::vector<verify::FlowReport>& flows);
Value flow_value(const verify::FlowReport& report);
// RFC 4180: a header, one row a flow. Numbers are in Gb/s, empty where unknown.
std::string flow_csv(const std::vector<verify::FlowReport>& flows);

// The measured state of links, for people and for programs.
// "Links", and one line for all ports in the same state; with `verbose` one for each port, with the
// identity of its module. "" if no link was read.
Text link_table(const std::vector<verify::LinkReport>& links, const Style& style);

// {"port", "interface"} and the known values of {"speed_mbps", "card_speed", "capable_mbps",
// "auto_negotiation", "fec", "uncorrectable_blocks", "module", "pcie", "raw_ber", "effective_ber",
// "why_down", "why_unknown"}.
Value link_value(const verify::LinkReport& link);

// The settings of lossless RoCE at both ends of cables, as a table and as data.
// "" if none are asked for. Ports with right settings are only counted, unless verbose.
Text qos_table(const std::vector<verify::QosReport>& reports, const Style& style);
// {"where", "network", "ok", "parts": [{"part", "wanted", "found"?, "why_unknown"?}], "counted"?:
// {counter: its increase}}
Value qos_value(const verify::QosReport& report);

}  // namespace fabric::report
