// SPDX-License-Identifier: Apache-2.0
#include "engine/rehearse/rehearsal.hpp"

#include <algorithm>
#include <tuple>

#include "engine/rehearse/plan_subset.hpp"

namespace fabric::rehearse {

namespace {

Duration lasted(const std::optional<Outage>& outage) {
  return outage ? outage->lasted : Duration{0};
}

auto badness(const SeedResult& result) {
  return std::tuple{
      result.violations.size(),
      severity(result.first.exit),
      lasted(result.service.ring_cut) + lasted(result.service.unmanaged),
      result.service.down_at_once.size(),
      result.until_done};
}

Scene with_luck(Scene scene, const RunFaults& run, std::uint64_t seed) {
  Random random{seed};
  CutOffDraws cuts{seed};
  ClockDraws clocks{seed};
  for (auto& [name, host] : scene.lab.hosts) {
    HostFaults faults = seed == 0 ? HostFaults{} : draw_host_faults(random);
    if (seed != 0) cuts.draw(faults);
    if (seed != 0) clocks.draw(faults);
    host.boot_time = faults.boot_time;
    host.clocks = faults.clocks;
    if (host.fault == lab::Fault::refused) continue;  // it was never reached
    host.fault = faults.fault;
    host.fault_after = faults.fault_after;
  }
  scene.lab.seed = seed;
  scene.lab.fault_percent = run.fault_percent;
  return scene;
}

}  // namespace

bool Rehearsal::kept_promises() const {
  return baseline.violations.empty() &&
         std::all_of(results.begin(), results.end(), [](const SeedResult& result) {
           return result.violations.empty();
         });
}

const SeedResult* Rehearsal::worst() const {
  const auto found = std::max_element(
      results.begin(), results.end(), [](const SeedResult& a, const SeedResult& b) {
        return badness(a) < badness(b);
      });
  return found == results.end() ? nullptr : &*found;
}

std::vector<Duration> Rehearsal::durations() const {
  std::vector<Duration> all;
  for (const SeedResult& result : results)
    all.push_back(result.until_done);
  std::sort(all.begin(), all.end());
  return all;
}

SeedResult rehearse_seed(const Scene& scene, const plans::Plan& plan, std::uint64_t seed) {
  constexpr std::uint64_t kOfTheRun = 0x7275'6e00'0000'0000;
  Random random{seed ^ kOfTheRun};
  const RunFaults faults = seed == 0 ? RunFaults{} : draw_run_faults(random);
  World world{with_luck(scene, faults, seed), seed};
  const plans::Plan played = without(plan, scene.left_out, scene.unreached);
  return run_seed(world, seed, faults, &played);
}

Rehearsal rehearse(
    const Scene& scene,
    const plans::Plan& plan,
    const std::vector<reach::NetworkNow>& paths,
    std::uint64_t first,
    std::uint64_t seeds,
    const std::function<void(const SeedResult&)>& done) {
  Rehearsal rehearsal;
  {
    World world{scene, 0};
    rehearsal.has_rings = world.service().has_rings();
    rehearsal.has_managers = world.service().has_managers();
  }
  rehearsal.paths = replay_paths(scene, plan, paths);
  rehearsal.baseline = rehearse_seed(scene, plan, 0);
  for (std::uint64_t i = 0; i < seeds; ++i) {
    rehearsal.results.push_back(rehearse_seed(scene, plan, first + i));
    SeedResult& result = rehearsal.results.back();
    result.trace.clear();
    if (done) done(result);
  }
  return rehearsal;
}

}  // namespace fabric::rehearse
