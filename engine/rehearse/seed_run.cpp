// SPDX-License-Identifier: Apache-2.0
#include "engine/rehearse/seed_run.hpp"

#include <fmt/format.h>

namespace fabric::rehearse {

SeedResult run_seed(
    World& world,
    std::uint64_t seed,
    const RunFaults& faults,
    const plans::Plan* plan,
    const std::function<void()>& mend) {
  SeedResult result;
  result.seed = seed;
  result.first = world.round(faults, plan);
  result.service = world.service().end(world.now());
  result.faults = world.faults();
  result.until_done = result.first.took;
  const auto promised = [&world](const Round& round) {
    // Its leases have expired, or another run has the locks or has left them behind.
    const bool locked_out = world.stood_still() && round.exit == ExitCode::locked;
    if (!round.killed && !is_promised(round.exit) && !locked_out)
      world.violation(fmt::format("exit {} was not promised", static_cast<int>(round.exit)));
  };
  promised(result.first);
  if (result.first.killed) {
    // The operator finds the run dead and starts another at once, with all faults still present.
    RunFaults rest = faults;
    rest.killed_at = 0;
    rest.stall = {};
    rest.edit = {};
    const Round next = world.round(rest);
    promised(next);
    result.until_done += next.took;
  }
  if (mend) mend();
  world.clear_faults();
  result.again = result.first.killed || result.first.exit != ExitCode::done ||
                 !result.first.complete || result.first.errors || mend || world.second_came() ||
                 world.edited();
  if (result.again) {
    const Round second = world.round({});
    result.until_done += second.took;
    if (second.exit != ExitCode::done || second.errors)
      world.violation("even without faults an apply does not converge");
  }
  // The operator's own work is done after fabric's.
  if (world.reboot_own()) {
    const Round last = world.round({});
    if (last.exit != ExitCode::done || last.errors)
      world.violation("after the reboot of its own machine an apply does not converge");
  }
  result.converged = world.round({}).empty;
  // A daemon that has read a foreign setting shows it only when a link comes up again: that is one
  // more difference, and the last one.
  if (!result.converged && world.edited()) result.converged = world.round({}).empty;
  if (!result.converged) {
    world.violation(
        result.again ? "the plan after convergence is not empty"
                     : "the plan after a successful apply is not empty");
  }
  world.check_owed();
  result.violations = world.violations();
  result.trace = world.trace();
  return result;
}

}  // namespace fabric::rehearse
