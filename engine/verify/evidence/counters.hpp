// Errors and lost links that were counted while a verify ran.
#pragma once

#include <map>
#include <vector>

#include "engine/verify/evidence/evidence.hpp"
#include "engine/verify/evidence/port_readings.hpp"
#include "engine/verify/report/counter_report.hpp"
#include "engine/verify/report/findings.hpp"

namespace fabric::verify {

using ReadingsByNode = std::map<NodeName, PortReadings>;

// Of every member port that has a network device, in order of port.
std::vector<CounterReport> compare_counters(
    const FabricSpec& spec,
    const discovery::Snapshot& snapshot,
    const ReadingsByNode& before,
    const ReadingsByNode& after);

// Rule `link-errors`: an error where a link went down, else a warning. At the end of a broken cable
// it is a consequence of that.
void add_counter_findings(
    const FabricSpec& spec, const std::vector<CounterReport>& counters, Findings& findings);

}  // namespace fabric::verify
