// SPDX-License-Identifier: Apache-2.0
// Rehearsal: a plan applied to copies of the nodes, once without faults and once for each seed of
// faults, and the worst of what happened.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "engine/discovery/snapshot.hpp"
#include "engine/rehearse/path_replay.hpp"
#include "engine/rehearse/seed_run.hpp"
#include "engine/rehearse/world.hpp"

namespace fabric::rehearse {

// From what was discovered to simulated nodes that are the same, as far as the lab can play them.

// What was discovered, and of what. All must outlive the copy.
struct Original {
  const FabricSpec& spec;
  const SourceMap& sources;
  const Registry& registry;
  const SimulatedPlatforms& simulated;
  const std::vector<Resource>& resources;  // with bindings, without orphans
  const std::vector<Resource>& all;        // with orphans
  const discovery::Snapshot& snapshot;
  const plans::Plan& plan;
  lab::LocalFiles files{};
  const plans::UndoneRun* undone = nullptr;  // Scene::undone
};
struct Copy {
  Scene scene;
  // Nodes that could not be copied, for people, in order of name: "pve3: not reached, so it stays
  // silent".
  std::vector<std::string> missing;
};
// Cards, firmware, settings, files, what runs beside the files, identity; cables are the
// document's. Each copy is discovered as the node was, and a resource that looks different there is
// left out.
Copy copy_nodes(const Original& original);

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
