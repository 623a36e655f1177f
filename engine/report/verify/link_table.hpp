// SPDX-License-Identifier: Apache-2.0
// The measured state of links, for people and for programs.
#pragma once

#include <vector>

#include "engine/report/terminal/style.hpp"
#include "engine/value/value.hpp"
#include "engine/verify/report/link_report.hpp"

namespace fabric::report {

// "Links", and one line for all ports in the same state; with `verbose` one for each port, with the
// identity of its module. "" if no link was read.
Text link_table(const std::vector<verify::LinkReport>& links, const Style& style);

// {"port", "interface"} and the known values of {"speed_mbps", "card_speed", "capable_mbps",
// "auto_negotiation", "fec", "uncorrectable_blocks", "module", "pcie", "raw_ber", "effective_ber",
// "why_down", "why_unknown"}.
Value link_value(const verify::LinkReport& link);

}  // namespace fabric::report
