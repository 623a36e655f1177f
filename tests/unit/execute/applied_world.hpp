// SPDX-License-Identifier: Apache-2.0
// What the tests of the executor share: nodes that a plan is made for and carried out on, who
// watches, and faults.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <variant>
#include <vector>

#include <fmt/format.h>

#include "engine/base/random.hpp"
#include "engine/discovery/snapshot.hpp"
#include "engine/execute/action/observer.hpp"
#include "engine/execute/executor.hpp"
#include "engine/model/resource.hpp"
#include "engine/model/spec.hpp"
#include "engine/provider/registry.hpp"
#include "engine/remote/runner.hpp"
#include "plans/planner.hpp"

#include "tests/support/fake_fleet.hpp"
#include "tests/support/fake_provider.hpp"

namespace fabric::test {

using Lines = std::vector<std::string>;

class Recorder final : public execute::ExecutionObserver {
 public:
  Lines events;
  std::size_t heartbeats = 0;
  void wave_started(const plans::Wave& wave) override {
    events.push_back(fmt::format("wave {}", wave.number));
  }
  void action_started(const plans::Action& action) override {
    events.push_back("start " + action.id);
  }
  void action_phase(const plans::Action& action, const std::string& phase) override {
    events.push_back(action.id + ": " + phase);
  }
  void action_ended(const plans::Action& action, const execute::ActionResult& result) override {
    events.push_back(fmt::format("end {} {}", action.id, to_string(result.state)));
  }
  void heartbeat(const std::vector<std::string>& /*running*/) override { ++heartbeats; }
};

// A fleet, a document, and what apply makes of them.
struct World {
  FakeFleet fleet;
  FabricSpec spec;
  SourceMap sources;
  std::vector<Resource> resources;
  Registry registry = fake_registry();
  Random random{1};
  Recorder recorder;
  std::function<bool()> interrupted;

  World() {
    spec.rollout.max_unavailable.value = 1;
    spec.rollout.reboot_timeout.value = Duration{600'000};
  }

  // A card whose setting X must become 2, and an interface that comes after it.
  FakeNode& add(const std::string& name) {
    FakeNode& host = fleet.add(name);
    host.at("settings/cx5", "X", Layer::running) = "1";
    host.at("settings/cx5", "X", Layer::next_boot) = "1";
    resources.push_back(ResourceBuilder{name + "/settings/cx5"}.wants("X", 2));
    resources.push_back(
        ResourceBuilder{name + "/interface/p1"}.wants("mtu", 9000).after(name + "/settings/cx5"));
    return host;
  }

  void ring(const Lines& names) {
    NetworkSpec network;
    network.mode.value = Mode::chain;
    for (std::size_t i = 0; i < names.size(); ++i) {
      const PortRef a{node(names[i]), "cx5", "1"};
      const PortRef b{node(names[(i + 1) % names.size()]), "cx5", "2"};
      network.cables.push_back({{a, {}}, {b, {}}, {}, {}, {}, {}, {}});
    }
    spec.networks.emplace("storage", network);
  }

  plans::Plan plan() {
    std::vector<NodeFacts> facts;
    for (const auto& [name, host] : fleet.nodes)
      facts.push_back(fleet.facts(name));
    Diagnostics diagnostics;
    const auto snapshot = discovery::observe(resources, facts, registry, diagnostics);
    return plans::make_plan({spec, sources, resources, snapshot, registry, {}}, diagnostics);
  }

  execute::ExecuteInputs inputs(const plans::Plan& plan) {
    return {plan, resources, registry, fleet, random, {}, "run-1", interrupted};
  }
  execute::RunResult apply(const plans::Plan& plan) {
    return execute::execute(inputs(plan), {&recorder});
  }
  execute::RunResult apply() { return apply(plan()); }
};

inline Lines states(const execute::RunResult& run) {
  Lines all;
  for (const execute::ActionResult& result : run.actions) {
    all.push_back(fmt::format("{} {}", result.id, to_string(result.state)));
  }
  return all;
}

// The fault happens to steps whose text begins so, `times` times.
inline auto fault_on(const std::string& what, FakeFault fault, int times = 1) {
  return [what, fault, left = times](const NodeName&, const remote::Step& step) mutable {
    std::string text = "write";
    if (const auto* run = std::get_if<remote::step::Run>(&step)) text = run->command.argv.front();
    if (text != what || left == 0) return FakeFault::none;
    --left;
    return fault;
  };
}

}  // namespace fabric::test
