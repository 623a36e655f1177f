// SPDX-License-Identifier: Apache-2.0
// Checks that networks with `qos` are lossless at both ends of every cable.
#pragma once

#include <vector>

#include "engine/discovery/evidence.hpp"
#include "engine/verify/evidence/counters.hpp"
#include "engine/verify/report/findings.hpp"
#include "engine/verify/report/reports.hpp"

namespace fabric::verify {

// Reports every port of a network with `qos` whose node was read, and every switch between them,
// sorted by network; ports before switches.
std::vector<QosReport> qos_reports(const FabricSpec& spec, const discovery::Evidence& evidence);

// Adds the counters of the ports that moved between `before` and `after`.
void add_qos_counters(
    const std::vector<CounterReport>& ports,
    const ReadingsByNode& before,
    const ReadingsByNode& after,
    std::vector<QosReport>& reports);

// Rules: qos-differs, an error for each port or switch; qos-unknown and qos-frames-lost, warnings.
void add_qos_findings(
    const FabricSpec& spec, const std::vector<QosReport>& reports, Findings& findings);
// Rule roce-lossy, an information for each network in which RDMA was tried and whose document has
// no `qos`.
void add_lossy_findings(
    const FabricSpec& spec, const std::vector<RoceAddressReport>& addresses, Findings& findings);

}  // namespace fabric::verify
