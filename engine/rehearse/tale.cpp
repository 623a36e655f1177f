#include "engine/rehearse/tale.hpp"

#include <fmt/format.h>

namespace fabric::rehearse {

using execute::ExitCode;

Tale tell(World& world, std::uint64_t seed, const RunLuck& luck, const plans::Plan* plan) {
  Tale tale;
  tale.seed = seed;
  tale.first = world.round(luck, plan);
  tale.service = world.service().end(world.now());
  tale.faults = world.faults();
  tale.until_done = tale.first.took;
  const auto promised = [&world](const Round& round) {
    if (!round.killed && !is_promised(round.exit))
      world.violation(fmt::format("exit {} was not promised", static_cast<int>(round.exit)));
  };
  promised(tale.first);
  if (tale.first.killed) {
    // Whoever finds it dead runs it again at once, with everything as broken as it was.
    RunLuck rest = luck;
    rest.killed_at = 0;
    const Round next = world.round(rest);
    promised(next);
    tale.until_done += next.took;
  }
  world.clear_faults();
  tale.again = tale.first.killed || tale.first.exit != ExitCode::done || !tale.first.complete ||
               tale.first.errors;
  if (tale.again) {
    const Round second = world.round({});
    tale.until_done += second.took;
    if (second.exit != ExitCode::done || second.errors)
      world.violation("without faults apply does not converge");
  }
  tale.converged = world.round({}).empty;
  if (!tale.converged) {
    world.violation(
        tale.again ? "the plan after convergence is not empty"
                   : "the plan after a successful apply is not empty");
  }
  world.check_owed();
  tale.violations = world.violations();
  tale.trace = world.trace();
  return tale;
}

}  // namespace fabric::rehearse
