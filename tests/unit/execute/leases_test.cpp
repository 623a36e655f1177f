#include "engine/execute/lease/leases.hpp"

#include <algorithm>

#include "engine/execute/executor.hpp"
#include "engine/execute/exit_code.hpp"
#include "engine/platform/linux/linux_platform.hpp"
#include "plans/planner.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/fake_provider.hpp"

using namespace fabric;
using namespace fabric::execute;
using fabric::test::FakeFault;
using fabric::test::FakeFleet;
using fabric::test::FakeLock;
using fabric::test::node;
using fabric::test::ResourceBuilder;

namespace {

constexpr Duration kHour{3'600'000};

LeaseHolder holder(const std::string& run) {
  return {run, "root@ops1", "boot", "4711.1"};
}

FakeLock lock_of(const std::string& run, Duration expires = kHour) {
  return {run, "anna@ops2", "elsewhere", "12.3", Duration{0}, expires};
}

struct World {
  FakeFleet fleet;
  Random random{1};
  platform::NodePlatforms nodes;

  explicit World(const std::vector<std::string>& names) {
    for (const std::string& name : names) {
      fleet.add(name);
      nodes.emplace(node(name), &platform::linux_platform());
    }
  }

  Leases leases(const std::string& run, std::function<bool(const LeaseHolder&)> ended = {}) {
    return Leases{{holder(run), Duration{300'000}, std::move(ended)}, nodes, fleet, random};
  }
  std::string run_of(const std::string& name) const {
    const auto& lock = fleet.nodes.at(node(name)).lock;
    return lock ? lock->run : "";
  }
};

// A plan of two waves with a reboot each, under leases.
struct Applying : World {
  FabricSpec spec;
  SourceMap sources;
  std::vector<Resource> resources;
  Registry registry = test::fake_registry();

  Applying() : World{{"a", "b"}} {
    spec.rollout.max_unavailable.value = 1;
    spec.rollout.reboot_timeout.value = Duration{600'000};
    for (auto& [name, host] : fleet.nodes) {
      host.at("settings/cx5", "X", Layer::running) = "1";
      host.at("settings/cx5", "X", Layer::next_boot) = "1";
      resources.push_back(ResourceBuilder{name.str() + "/settings/cx5"}.wants("X", 2));
    }
  }

  RunResult apply(Leases& leases) {
    std::vector<NodeFacts> facts;
    for (const auto& [name, host] : fleet.nodes)
      facts.push_back(fleet.facts(name));
    Diagnostics diagnostics;
    const auto snapshot = discovery::observe(resources, facts, registry, diagnostics);
    const plans::Plan plan =
        plans::make_plan({spec, sources, resources, snapshot, registry, {}}, diagnostics);
    return execute::execute(
        {plan, resources, registry, fleet, random, {}, "run-1", {}, &leases}, {});
  }
};

}  // namespace

TEST_CASE("all nodes are locked, and none is in the end", "[execute]") {
  World world{{"a", "b", "c"}};
  Leases leases = world.leases("run-1");
  REQUIRE(leases.take());
  for (const char* name : {"a", "b", "c"})
    CHECK(world.run_of(name) == "run-1");
  CHECK(leases.covers(node("a"), Duration{200'000}));
  CHECK_FALSE(leases.covers(node("a"), Duration{400'000}));
  CHECK(leases.release().empty());
  for (const char* name : {"a", "b", "c"})
    CHECK(world.run_of(name).empty());
}

TEST_CASE("one node that is somebody else's, and none is taken", "[execute]") {
  World world{{"a", "b", "c"}};
  world.fleet.nodes.at(node("b")).lock = lock_of("run-9");
  Leases leases = world.leases("run-1");
  const Result<void> taken = leases.take();
  REQUIRE_FALSE(taken.has_value());
  CHECK(taken.error().code == ErrorCode::locked);
  CHECK(taken.error().message.starts_with("b: locked by anna@ops2 (run run-9)"));
  CHECK(world.run_of("a").empty());
  CHECK(world.run_of("b") == "run-9");
  CHECK(world.run_of("c").empty());
}

TEST_CASE("what has run out or ended is taken over, what only may have is not", "[execute]") {
  World world{{"a", "b"}};
  world.fleet.nodes.at(node("a")).lock = lock_of("run-8", Duration{0});
  world.fleet.nodes.at(node("b")).lock = lock_of("run-9");
  const auto nine_has_ended = [](const LeaseHolder& found) {
    return found.run == "run-9";
  };
  CHECK_FALSE(world.leases("run-1").take().has_value());
  CHECK(world.leases("run-1", nine_has_ended).take().has_value());
  CHECK(world.run_of("a") == "run-1");
  CHECK(world.run_of("b") == "run-1");
}

TEST_CASE("a lost reply is asked again; a node that never answers locks nobody out", "[execute]") {
  World world{{"a", "b"}};
  int faults = 1;
  world.fleet.fault = [&](const NodeName& at, const remote::Step&) {
    if (at != node("b") || faults == 0) return FakeFault::none;
    --faults;
    return FakeFault::lost_reply;
  };
  Leases leases = world.leases("run-1");
  CHECK(leases.take().has_value());
  CHECK(leases.release().empty());

  faults = 1'000;
  const Result<void> taken = leases.take();
  REQUIRE_FALSE(taken.has_value());
  CHECK(taken.error().message.starts_with("b: "));
  CHECK(world.run_of("a").empty());
}

TEST_CASE("a lock that could not be given up is said", "[execute]") {
  World world{{"a", "b"}};
  Leases leases = world.leases("run-1");
  REQUIRE(leases.take());
  world.fleet.fault = [](const NodeName& at, const remote::Step&) {
    return at == node("b") ? FakeFault::lost_command : FakeFault::none;
  };
  CHECK(leases.release() == std::vector<NodeName>{node("b")});
  CHECK(world.run_of("b") == "run-1");
}

TEST_CASE("a lease outlasts the reboot of its node and those that it waits for", "[execute]") {
  Applying world;
  // Longer than a lease that is not renewed.
  for (auto& [name, host] : world.fleet.nodes)
    host.boot_time = Duration{420'000};
  Leases leases = world.leases("run-1");
  REQUIRE(leases.take());
  bool always_held = true;
  world.fleet.fault = [&](const NodeName& at, const remote::Step&) {
    const auto& lock = world.fleet.nodes.at(at).lock;
    const Duration now = world.fleet.clock().now().time_since_epoch();
    always_held = always_held && lock && lock->run == "run-1" && lock->expires > now;
    return FakeFault::none;
  };
  CHECK(world.apply(leases).all_done());
  CHECK(always_held);
}

TEST_CASE("nothing is written on a node that has become somebody else's", "[execute]") {
  Applying world;
  Leases leases = world.leases("run-1");
  REQUIRE(leases.take());
  world.fleet.nodes.at(node("b")).lock = lock_of("run-9");
  const RunResult result = world.apply(leases);
  CHECK(world.fleet.nodes.at(node("b")).commands.size() <= 1);  // within the lease that it had
  CHECK(std::any_of(result.actions.begin(), result.actions.end(), [](const ActionResult& each) {
    return each.state == ActionState::failed && each.code == ErrorCode::locked &&
           each.detail.find("run-9") != std::string::npos;
  }));
  CHECK(exit_code(result, true, Verification::not_run) == ExitCode::partly_applied);
  CHECK(world.run_of("b") == "run-9");
}
