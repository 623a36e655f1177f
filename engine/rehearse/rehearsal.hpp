// Rehearsal: a plan applied to copies of the nodes, once without faults and once for each seed of
// bad luck, and the worst of what happened.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <vector>

#include "engine/rehearse/copy_nodes.hpp"
#include "engine/rehearse/tale.hpp"

namespace fabric::rehearse {

struct Rehearsal {
  Tale calm;                // without faults
  std::vector<Tale> tales;  // in order of seed
  bool has_rings = false, has_managers = false;

  // Nothing was seen that apply promises never to do, and a plain re-run converged everywhere.
  bool kept_promises() const;
  // Faults or none, the plan itself takes nothing away that the fabric still needs.
  bool is_gentle() const { return !calm.service.ring_cut.has_value(); }
  // What somebody should look at first; null: there are no seeds.
  const Tale* worst() const;
  // Of the tales, in order: how long it took until all was done, re-runs included.
  std::vector<Duration> durations() const;
};

// One tale; seed 0 is the one without faults.
Tale rehearse_seed(const Scene& scene, const plans::Plan& plan, std::uint64_t seed);

// Seeds first, first + 1, ... `done` hears of each.
Rehearsal rehearse(
    const Scene& scene,
    const plans::Plan& plan,
    std::uint64_t first,
    std::uint64_t seeds,
    const std::function<void(const Tale&)>& done);

}  // namespace fabric::rehearse
