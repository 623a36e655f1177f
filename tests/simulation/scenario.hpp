// SPDX-License-Identifier: Apache-2.0
// Scenario: a random fabric, its simulated reality and its faults, all from one seed.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "engine/base/source.hpp"
#include "engine/lab/lab_spec.hpp"
#include "engine/model/spec.hpp"
#include "engine/platform/identity.hpp"
#include "engine/rehearse/fault_schedule.hpp"

namespace fabric::simulation {

struct Scenario {
  std::string document;  // the YAML
  SourceMap sources;
  FabricSpec spec;
  lab::LabSpec lab;
  rehearse::RunFaults faults;  // of the first apply
  // Nodes that never answer before everything is mended, whether the document knows it or not.
  std::set<NodeName> dead{};
  std::vector<NodeName> limit{};           // of the first apply
  std::set<NodeName> allow_no_rollback{};  // switches that have no rollback timer
  platform::Identity own{};                // of the node that fabric runs on
  // Files by which somebody else has configured the ports, to be taken over.
  std::vector<std::pair<NodeName, std::string>> foreign{};
};

// A ring of 3 to 8 nodes in mode chain, a pair of hosts in mode lag, 3 to 8 hosts at a switch,
// often by racks, a pair of InfiniBand with its subnet managers, 1 to 3 ESXi hosts, or 1 to 3 hosts
// with bonds at one switch or a pair of switches that are configured too; some converged already,
// some with foreign values for next boot, some with a fault that strikes after a few commands. With
// `guards` somebody may be dead, known to be offline or not, the first apply may be limited to some
// nodes, and fabric may run on one of them; somebody else may have configured the ports, and may do
// something to the files that the plan depends on.
Scenario make_scenario(std::uint64_t seed, bool guards);

}  // namespace fabric::simulation
