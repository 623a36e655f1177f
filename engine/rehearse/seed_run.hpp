// SPDX-License-Identifier: Apache-2.0
// SeedResult: one seed from its plan to a converged fabric: applied under faults, then without, as
// by an operator who mends the broken parts and runs it again.
#pragma once

#include <functional>

#include "engine/rehearse/world.hpp"

namespace fabric::rehearse {

struct SeedResult {
  std::uint64_t seed = 0;
  Round first;             // under faults
  Duration until_done{0};  // the first, and the plain re-run where one was needed
  bool again = false;      // one was
  bool converged = false;  // in the end a plan was empty
  Service service;         // while the first ran
  std::map<std::string, std::uint32_t> faults;
  std::vector<std::string> violations;
  std::vector<TraceLine> trace;
};

// `plan`: the plan to begin with; null: plan first. `mend` is called before the first run without
// faults: nodes that were down all the time may come back, and the document may want more nodes.
SeedResult run_seed(
    World& world,
    std::uint64_t seed,
    const RunFaults& faults,
    const plans::Plan* plan,
    const std::function<void()>& mend = {});

}  // namespace fabric::rehearse
