#include "engine/rehearse/rehearsal.hpp"

#include <algorithm>
#include <tuple>

#include "engine/rehearse/left_out.hpp"

namespace fabric::rehearse {

namespace {

using execute::ExitCode;

// As the exit codes rank (contract §2), a human being needed first.
int severity(ExitCode code) {
  switch (code) {
    case ExitCode::node_lost:
      return 9;
    case ExitCode::rolled_back:
      return 8;
    case ExitCode::partly_applied:
      return 7;
    case ExitCode::not_verified:
      return 6;
    case ExitCode::incomplete:
      return 5;
    case ExitCode::timed_out:
      return 4;
    case ExitCode::stale:
    case ExitCode::locked:
      return 3;
    case ExitCode::failed:
      return 2;
    case ExitCode::cancelled:
      return 1;
    case ExitCode::done:
      return 0;
  }
  return 0;
}

Duration lasted(const std::optional<Outage>& outage) {
  return outage ? outage->lasted : Duration{0};
}

auto badness(const Tale& tale) {
  return std::tuple{
      tale.violations.size(),
      severity(tale.first.exit),
      lasted(tale.service.ring_cut) + lasted(tale.service.unmanaged),
      tale.service.down_at_once.size(),
      tale.until_done};
}

Scene with_luck(Scene scene, const RunLuck& run, std::uint64_t seed) {
  Random random{seed};
  CutOffDraws cuts{seed};
  for (auto& [name, host] : scene.lab.hosts) {
    HostLuck luck = seed == 0 ? HostLuck{} : draw_host_luck(random);
    if (seed != 0) cuts.draw(luck);
    host.boot_time = luck.boot_time;
    if (host.fault == lab::Fault::refused) continue;  // it was never reached
    host.fault = luck.fault;
    host.fault_after = luck.fault_after;
  }
  scene.lab.seed = seed;
  scene.lab.fault_percent = run.fault_percent;
  return scene;
}

}  // namespace

bool Rehearsal::kept_promises() const {
  return calm.violations.empty() && std::all_of(tales.begin(), tales.end(), [](const Tale& tale) {
           return tale.violations.empty();
         });
}

const Tale* Rehearsal::worst() const {
  const auto found = std::max_element(tales.begin(), tales.end(), [](const Tale& a, const Tale& b) {
    return badness(a) < badness(b);
  });
  return found == tales.end() ? nullptr : &*found;
}

std::vector<Duration> Rehearsal::durations() const {
  std::vector<Duration> all;
  for (const Tale& tale : tales)
    all.push_back(tale.until_done);
  std::sort(all.begin(), all.end());
  return all;
}

Tale rehearse_seed(const Scene& scene, const plans::Plan& plan, std::uint64_t seed) {
  constexpr std::uint64_t kOfTheRun = 0x7275'6e00'0000'0000;
  Random random{seed ^ kOfTheRun};
  const RunLuck luck = seed == 0 ? RunLuck{} : draw_run_luck(random);
  World world{with_luck(scene, luck, seed), seed};
  const plans::Plan played = without(plan, scene.left_out, scene.unreached);
  return tell(world, seed, luck, &played);
}

Rehearsal rehearse(
    const Scene& scene,
    const plans::Plan& plan,
    std::uint64_t first,
    std::uint64_t seeds,
    const std::function<void(const Tale&)>& done) {
  Rehearsal rehearsal;
  {
    World world{scene, 0};
    rehearsal.has_rings = world.service().has_rings();
    rehearsal.has_managers = world.service().has_managers();
  }
  rehearsal.calm = rehearse_seed(scene, plan, 0);
  for (std::uint64_t i = 0; i < seeds; ++i) {
    rehearsal.tales.push_back(rehearse_seed(scene, plan, first + i));
    Tale& tale = rehearsal.tales.back();
    tale.trace.clear();
    if (done) done(tale);
  }
  return rehearsal;
}

}  // namespace fabric::rehearse
