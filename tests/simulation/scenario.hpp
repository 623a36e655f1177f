// Scenario: a random fabric, its simulated reality and its faults, all from one seed.
#pragma once

#include <cstdint>
#include <string>

#include "engine/base/source.hpp"
#include "engine/lab/lab_spec.hpp"
#include "engine/model/spec.hpp"
#include "engine/rehearse/fault_schedule.hpp"

namespace fabric::simulation {

struct Scenario {
  std::string document;  // the YAML
  SourceMap sources;
  FabricSpec spec;
  lab::LabSpec lab;
  rehearse::RunFaults faults;  // of the first apply
};

// A ring of 3 to 8 nodes in mode chain, a pair of hosts in mode lag, 3 to 8 hosts at a switch,
// often by racks, or a pair of InfiniBand with its subnet managers; some converged already, some
// with foreign values for next boot, some with a fault that strikes after a few commands.
Scenario make_scenario(std::uint64_t seed);

}  // namespace fabric::simulation
