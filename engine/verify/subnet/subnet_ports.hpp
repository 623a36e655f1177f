// SPDX-License-Identifier: Apache-2.0
// InfiniBand ports as their subnet manager set them: are they configured, and do they have the
// P_Keys that the document's partitions give them? Read from each port, for a manager's file only
// says what OpenSM will do at its next start (E-opensm-loaded).
#pragma once

#include <vector>

#include "engine/discovery/evidence.hpp"
#include "engine/discovery/snapshot.hpp"
#include "engine/model/spec.hpp"
#include "engine/provider/registry.hpp"
#include "engine/verify/evidence/counters.hpp"
#include "engine/verify/report/findings.hpp"
#include "engine/verify/report/reports.hpp"

namespace fabric::verify {

// Returns one report, in order, for each port of an InfiniBand network whose host showed its state.
std::vector<SubnetPortReport> judge_subnet_ports(
    const FabricSpec& spec,
    const discovery::Snapshot& snapshot,
    const ReadingsByNode& readings,
    const Registry& registry);

// Adds at most one finding of each rule for a network. `port-unmanaged`: a link, and no manager
// that configures it. `partition-not-programmed`. `partition-surplus`, and once more for keys of no
// partition of the document (warning). `partition-group-differs`, where the master runs on a host.
// Ports in INIT are a consequence of managers that don't run or were not reached.
void add_subnet_port_findings(
    const FabricSpec& spec, const std::vector<SubnetPortReport>& ports, Findings& findings);

// The readings of the port; null if its host does not show it as an InfiniBand port.
const RdmaPort* infiniband_port(
    const discovery::Evidence& evidence, const ReadingsByNode& readings, const PortRef& port);

}  // namespace fabric::verify
