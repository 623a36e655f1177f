// SPDX-License-Identifier: Apache-2.0
// Rehearsal: a plan applied to copies of the nodes, once without faults and once for each seed of
// faults, and the worst of what happened.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <vector>

#include "engine/rehearse/copy_nodes.hpp"
#include "engine/rehearse/path_replay.hpp"
#include "engine/rehearse/seed_run.hpp"

namespace fabric::rehearse {

struct Rehearsal {
  SeedResult baseline;              // without faults
  std::vector<SeedResult> results;  // in order of seed
  bool has_rings = false, has_managers = false;
  PathReplay paths{};

  // Nothing was seen that apply promises never to do, and a plain re-run converged everywhere.
  bool kept_promises() const;
  // Faults or none, the plan itself takes nothing away that the fabric still needs.
  bool is_gentle() const { return !baseline.service.ring_cut.has_value(); }
  // The result that a person should look at first; null: there are no seeds.
  const SeedResult* worst() const;
  // Of the results, in order: how long it took until all was done, re-runs included.
  std::vector<Duration> durations() const;
};

// One result; seed 0 is the one without faults.
SeedResult rehearse_seed(const Scene& scene, const plans::Plan& plan, std::uint64_t seed);

// Seeds first, first + 1, ... `done` hears of each. `paths`: what forwards before the plan, as it
// was observed.
Rehearsal rehearse(
    const Scene& scene,
    const plans::Plan& plan,
    const std::vector<reach::NetworkNow>& paths,
    std::uint64_t first,
    std::uint64_t seeds,
    const std::function<void(const SeedResult&)>& done);

}  // namespace fabric::rehearse
