// SPDX-License-Identifier: Apache-2.0
// Rehearsal: a plan applied to copies of the nodes, once without faults and once for each seed of
// faults, and the worst outcome.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "engine/discovery/snapshot.hpp"
#include "engine/model/topology/path_losses.hpp"
#include "engine/rehearse/seed_run.hpp"
#include "engine/rehearse/world.hpp"

namespace fabric::rehearse {

// Path replay: which copies of a ring's hosts reach each other while nodes are away, compared with
// the plan. The two share no code, so a wrong prediction shows.
struct PathDifference {
  std::uint32_t wave = 1;
  std::string network;
  reach::AddressPair pair;
  bool predicted = false;  // to be kept
};

struct PathReplay {
  std::size_t waves = 0, pings = 0;
  // How many waves were left out, because a large ring has too many pairs of addresses.
  std::size_t waves_left_out = 0;
  std::vector<PathDifference> different;  // in order of wave, network and pair
};

// For each wave that takes nodes away: switches them off in copies made before the plan, and pings
// all pairs of addresses of the other hosts. `now`: what forwards before the plan, as observed;
// both sides use the document's cables. Without pings from a platform without ping tests, and where
// the prediction is unknown.
PathReplay replay_paths(
    const Scene& scene, const plans::Plan& plan, const std::vector<reach::NetworkNow>& now);

// Makes simulated nodes from discovered facts, equal as far as the lab can simulate them.

// The discovered facts, and the document. All must outlive the copy.
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
  // Texts for nodes that could not be copied, in order of name: "pve3: not reached, so it stays
  // silent".
  std::vector<std::string> missing;
};
// Copies cards, firmware, settings, files, running state and identity; the cables are the
// document's. Each copy is discovered as the node was, and resources that look different there are
// left out.
Copy copy_nodes(const Original& original);

struct Rehearsal {
  SeedResult baseline;              // without faults
  std::vector<SeedResult> results;  // in order of seed
  bool has_rings = false, has_managers = false;
  PathReplay paths{};

  // True if no invariant was violated, and a plain re-run converged everywhere.
  bool kept_promises() const;
  // True if the plan itself, without faults, takes nothing away that the fabric still needs.
  bool is_gentle() const { return !baseline.service.ring_cut.has_value(); }
  // The result to look at first; null: there are no seeds.
  const SeedResult* worst() const;
  // For each result, in order: the time until all was done, with re-runs.
  std::vector<Duration> durations() const;
};

// The result of one seed; seed 0 is the run without faults.
SeedResult rehearse_seed(const Scene& scene, const plans::Plan& plan, std::uint64_t seed);

// Runs the seeds first, first + 1, ... and calls `done` with each result. `paths`: what forwards
// before the plan, as observed.
Rehearsal rehearse(
    const Scene& scene,
    const plans::Plan& plan,
    const std::vector<reach::NetworkNow>& paths,
    std::uint64_t first,
    std::uint64_t seeds,
    const std::function<void(const SeedResult&)>& done);

}  // namespace fabric::rehearse
