// SPDX-License-Identifier: Apache-2.0
// How fast a plan is executed where nothing takes any real time: nodes that answer at once, in
// virtual time, with all that the executor does between their answers (leases, waves, readings,
// conditions, reboots by boot_id). One line: hosts, actions, CPU seconds of the fastest of a few
// runs. usage: schedule HOSTS
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>

#include "engine/execute/executor.hpp"
#include "plans/planner.hpp"
#include "providers/linux/machine/linux_platform.hpp"

#include "tests/support/fake_provider.hpp"

namespace {

using namespace fabric;

struct Site {
  test::FakeFleet fleet;
  FabricSpec spec;
  SourceMap sources;
  std::vector<Resource> resources;
  Registry registry = test::fake_registry();
  Random random{1};

  // Ten actions each: a setting, eight files, a reboot.
  explicit Site(std::uint64_t hosts) {
    constexpr int kFiles = 8;
    spec.rollout.max_unavailable.value = 50;
    spec.rollout.reboot_timeout.value = Duration{600'000};
    for (std::uint64_t i = 1; i <= hosts; ++i) {
      const std::string name = fmt::format("n{}", i);
      test::FakeNode& host = fleet.add(name);
      host.at("settings/cx5", "X", Layer::running) = "1";
      host.at("settings/cx5", "X", Layer::next_boot) = "1";
      resources.push_back(test::ResourceBuilder{name + "/settings/cx5"}.wants("X", 2));
      for (int file = 1; file <= kFiles; ++file) {
        resources.push_back(
            test::ResourceBuilder{fmt::format("{}/sysctl/k{}", name, file)}.wants("A", 1));
      }
    }
    std::sort(resources.begin(), resources.end(), [](const Resource& a, const Resource& b) {
      return a.address < b.address;
    });
  }

  plans::Plan plan() {
    std::vector<NodeFacts> facts;
    for (const auto& [name, host] : fleet.nodes)
      facts.push_back(fleet.facts(name));
    Diagnostics diagnostics;
    const auto snapshot = discovery::observe(resources, facts, registry, diagnostics);
    return plans::make_plan({spec, sources, resources, snapshot, registry, {}}, diagnostics);
  }
};

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  const std::uint64_t hosts = std::strtoull(argv[1], nullptr, 10);
  constexpr int kRuns = 3;
  double best = 1e9;
  std::size_t actions = 0;
  for (int run = 0; run < kRuns; ++run) {
    Site site{hosts};
    const plans::Plan plan = site.plan();
    platform::NodePlatforms nodes;
    for (const auto& [name, host] : site.fleet.nodes)
      nodes.emplace(name, &platform::linux_platform());
    execute::Leases leases{
        {{"run", "bench", "here", "1.1"}, execute::LeaseTerms{}.length, {}},
        nodes,
        site.fleet,
        site.random};
    const std::clock_t begin = std::clock();
    const bool locked = leases.take().has_value();
    const execute::RunResult result = execute::execute(
        {plan,
         site.resources,
         site.registry,
         site.fleet,
         site.random,
         {64, 0, 50},
         "run",
         {},
         &leases},
        {});
    const std::clock_t end = std::clock();
    if (!locked || !result.all_done()) {
      std::fprintf(stderr, "not everything was done\n");
      return 1;
    }
    actions = plan.actions.size();
    best = std::min(best, static_cast<double>(end - begin) / CLOCKS_PER_SEC);
  }
  std::printf("%llu %zu %.6f\n", static_cast<unsigned long long>(hosts), actions, best);
  return 0;
}
