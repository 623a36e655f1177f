// SPDX-License-Identifier: Apache-2.0
// Errors and lost links that were counted while a verify ran.
#pragma once

#include <map>
#include <vector>

#include "engine/discovery/evidence.hpp"
#include "engine/platform/port_readings.hpp"
#include "engine/verify/report/counter_report.hpp"
#include "engine/verify/report/findings.hpp"

namespace fabric::verify {

using platform::Counters;
using platform::Gid;
using platform::IpoibGroup;
using platform::ManagerRecord;
using platform::PortReadings;
using platform::RdmaPort;

using ReadingsByNode = std::map<NodeName, PortReadings>;

// Returns a report for every member port with a network device, and for the ports of switches that
// are in one of the two readings, sorted by port. A switch whose platform has no counters is in
// neither.
std::vector<CounterReport> compare_counters(
    const FabricSpec& spec,
    const discovery::Snapshot& snapshot,
    const ReadingsByNode& before,
    const ReadingsByNode& after);

// Rule `link-errors`: an error where a link went down, else a warning; a consequence at the end of
// a broken cable. Rule `counter-saturated`, a warning: a counter is at its maximum.
void add_counter_findings(
    const FabricSpec& spec, const std::vector<CounterReport>& counters, Findings& findings);

}  // namespace fabric::verify
