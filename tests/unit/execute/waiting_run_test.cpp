// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include <fmt/format.h>

#include "engine/execute/executor.hpp"
#include "engine/execute/exit_code.hpp"
#include "plans/planner.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/fake_provider.hpp"

using namespace fabric;
using namespace fabric::execute;
using fabric::test::FakeFleet;
using fabric::test::node;
using fabric::test::ResourceBuilder;

namespace {

using Lines = std::vector<std::string>;

class Phases final : public ExecutionObserver {
 public:
  Lines all;
  void action_phase(const plans::Action& action, const std::string& phase) override {
    all.push_back(action.id + ": " + phase);
  }
};

struct World {
  FakeFleet fleet;
  FabricSpec spec;
  SourceMap sources;
  std::vector<Resource> resources;
  Registry registry;
  Random random{1};
  Phases phases;
  std::function<bool()> interrupted;

  explicit World(Disruption settings = Disruption::reboot)
      : registry{test::fake_registry(settings)} {
    spec.rollout.max_unavailable.value = 1;
    spec.rollout.reboot_timeout.value = Duration{600'000};
    spec.rollout.confirm_timeout.value = Duration{120'000};
  }

  // A port without a carrier, and a sysctl that comes after its cable.
  void add_cable(const std::string& name) {
    fleet.add(name).at("cable/p1", "carrier", Layer::running) = "0";
    resources.push_back(ResourceBuilder{name + "/cable/p1"}.wants("carrier", 1));
  }

  void add_setting(const std::string& name) {
    auto& host = fleet.add(name);
    host.at("settings/cx5", "X", Layer::running) = "1";
    host.at("settings/cx5", "X", Layer::next_boot) = "1";
    resources.push_back(ResourceBuilder{name + "/settings/cx5"}.wants("X", 2));
  }

  // A port with a carrier, cabled to something that is not disturbed.
  void add_port(const std::string& name) {
    fleet.nodes.at(node(name)).at("carrier/p1", "carrier", Layer::running) = "1";
    resources.push_back(ResourceBuilder{name + "/carrier/p1"}.binding("other_end", "leaf/1"));
  }

  void later(Duration when, const std::function<void(FakeFleet&)>& what) {
    fleet.hands.emplace(fleet.clock().now() + when, what);
  }

  RunResult apply() {
    std::vector<NodeFacts> facts;
    for (const auto& [name, host] : fleet.nodes)
      facts.push_back(fleet.facts(name));
    Diagnostics diagnostics;
    const auto snapshot = discovery::observe(resources, facts, registry, diagnostics);
    const plans::Plan plan =
        plans::make_plan({spec, sources, resources, snapshot, registry, {}}, diagnostics);
    return execute::execute(
        {plan, resources, registry, fleet, random, {}, "run-1", interrupted}, {&phases});
  }
};

void connect(FakeFleet& fleet) {
  fleet.nodes.at(node("a")).at("cable/p1", "carrier", Layer::running) = "1";
}

void set_carrier(FakeFleet& fleet, const char* there) {
  fleet.nodes.at(node("a")).at("carrier/p1", "carrier", Layer::running) = there;
}

}  // namespace

TEST_CASE("a person is asked once and waited for until the carrier is there", "[execute]") {
  World world;
  world.add_cable("a");
  world.later(Duration{300'000}, connect);
  const RunResult run = world.apply();
  REQUIRE(run.actions.size() == 1);
  CHECK(run.actions[0].state == ActionState::done);
  CHECK(run.actions[0].took >= Duration{300'000});
  CHECK(run.actions[0].took < Duration{310'000});
  CHECK(world.phases.all == Lines{"a0001: connect p1"});
  CHECK(world.fleet.trace.empty());
}

TEST_CASE("a node in a person's hands may be silent for a while", "[execute]") {
  World world;
  world.add_cable("a");
  world.later(Duration{60'000}, [](FakeFleet& fleet) {
    fleet.nodes.at(node("a")).up_at = fleet.clock().now() + Duration{120'000};
  });
  world.later(Duration{150'000}, connect);
  CHECK(world.apply().all_done());
}

TEST_CASE("nobody coming is a failure by name and deadline, and exit 9", "[execute]") {
  World world;
  world.add_cable("a");
  const RunResult run = world.apply();
  REQUIRE(run.actions.size() == 1);
  CHECK(run.actions[0].state == ActionState::failed);
  CHECK(run.actions[0].code == ErrorCode::timed_out);
  CHECK(
      run.actions[0].detail ==
      fmt::format(
          "no person has done it within {}: a/cable/p1 carrier (running): expected 1, found 0",
          format_duration(Duration{600'000})));
  CHECK(exit_code(run, true, Verification::not_run) == ExitCode::timed_out);
}

TEST_CASE("an interrupt ends the wait, and nothing was changed", "[execute]") {
  World world;
  world.add_cable("a");
  world.interrupted = [&world] {
    return world.fleet.clock().now() > TimePoint{Duration{30'000}};
  };
  const RunResult run = world.apply();
  CHECK(run.cancelled);
  CHECK(run.actions[0].state == ActionState::not_started);
  CHECK(exit_code(run, true, Verification::not_run) == ExitCode::cancelled);
}

TEST_CASE("a power cycle by hand is proven by the boot_id and by what runs then", "[execute]") {
  World world{Disruption::power_cycle};
  world.add_setting("a");
  SECTION("done") {
    world.later(Duration{300'000}, [](FakeFleet& fleet) { fleet.power_cycle("a"); });
    CHECK(world.apply().all_done());
    CHECK(
        world.phases.all == Lines{
                                "a0001: reading back",
                                "a0002: switch a off and on again (a warm reboot is not enough)",
                                "a0002: waiting for the node to come back",
                                "a0002: watching whether it stays up",
                                "a0002: reading back"});
    CHECK(world.fleet.trace == Lines{"a set settings/cx5 X=2"});
  }
  SECTION("not done") {
    const RunResult run = world.apply();
    CHECK(run.actions[1].state == ActionState::failed);
    CHECK(run.actions[1].code == ErrorCode::timed_out);
    CHECK(run.lost_nodes.empty());
  }
}

TEST_CASE("a link that comes back opens the gate", "[execute]") {
  World world;
  world.add_setting("a");
  world.add_setting("b");
  world.add_port("a");
  world.later(Duration{10'000}, [](FakeFleet& fleet) { set_carrier(fleet, "0"); });
  world.later(Duration{120'000}, [](FakeFleet& fleet) { set_carrier(fleet, "1"); });
  const RunResult run = world.apply();
  CHECK(run.all_done());
  CHECK(
      std::count(
          world.phases.all.begin(),
          world.phases.all.end(),
          "a0003: waiting for the former state") == 1);
}

TEST_CASE("a link that stays away is a failure of its node, and later waves wait", "[execute]") {
  World world;
  world.add_setting("a");
  world.add_setting("b");
  world.add_port("a");
  world.later(Duration{10'000}, [](FakeFleet& fleet) { set_carrier(fleet, "0"); });
  const RunResult run = world.apply();
  REQUIRE(run.actions.size() == 5);
  CHECK(run.actions[2].state == ActionState::failed);
  CHECK(run.actions[2].code == ErrorCode::timed_out);
  CHECK(
      run.actions[2].detail ==
      "the former state did not return within 2 min: no carrier at p1 (false), which had one "
      "before");
  CHECK(run.actions[3].state == ActionState::not_started);
  CHECK(run.actions[3].detail == "wave 2 was not begun: a failed (max_failures is 0)");
}
