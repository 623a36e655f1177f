// Scenario: a random fabric, its simulated reality and its bad luck, all from one seed.
#pragma once

#include <cstdint>
#include <string>

#include "engine/base/source.hpp"
#include "engine/lab/lab_spec.hpp"
#include "engine/model/spec.hpp"

namespace fabric::simulation {

struct Scenario {
  std::string document;  // the YAML
  SourceMap sources;
  FabricSpec spec;
  lab::LabSpec lab;
  std::uint32_t fault_percent = 0;    // of all commands, while the first apply runs
  std::uint32_t interrupt_after = 0;  // events of the first apply; 0 = never
};

// A ring of 3 to 8 nodes in mode chain, or a pair of hosts in mode lag; some converged already,
// some with foreign values for next boot, some with a fault that strikes after a few commands.
Scenario make_scenario(std::uint64_t seed);

}  // namespace fabric::simulation
