// SPDX-License-Identifier: Apache-2.0
#include "engine/execute/lease/leases.hpp"

#include <algorithm>

#include "engine/base/text.hpp"
#include "engine/execute/executor.hpp"
#include "engine/execute/exit_code.hpp"
#include "plans/planner.hpp"
#include "providers/linux/machine/linux_platform.hpp"

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

TEST_CASE("no step of a lock waits longer than it may", "[execute]") {
  World world{{"a", "b"}};
  std::size_t steps = 0;
  world.fleet.fault = [&](const NodeName&, const remote::Step& step) {
    const auto* run = std::get_if<remote::step::Run>(&step);
    if (run != nullptr) {
      ++steps;
      CHECK(run->command.timeout <= Duration{3'000});
    }
    return FakeFault::none;
  };
  Leases leases{
      {holder("run-1"), Duration{300'000}, {}, Duration{3'000}},
      world.nodes,
      world.fleet,
      world.random};
  REQUIRE(leases.take());
  const remote::Step renewal = leases.renewal(node("a"), Duration{100'000});
  CHECK(std::get<remote::step::Run>(renewal).command.timeout == Duration{3'000});
  CHECK(leases.release().empty());
  CHECK(steps >= 6);
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

TEST_CASE("a lock that was taken without a reply is given up again, or said", "[execute]") {
  World world{{"a", "b"}};
  const auto is_release = [](const remote::Step& step) {
    constexpr std::size_t kWordsOfRelease = 7;
    return std::get<remote::step::Run>(step).command.argv.size() == kWordsOfRelease;
  };
  // The node took it each time, and each time nobody heard of that.
  world.fleet.fault = [&](const NodeName& at, const remote::Step& step) {
    return at == node("b") && !is_release(step) ? FakeFault::lost_reply : FakeFault::none;
  };
  Leases leases = world.leases("run-1");
  const Result<void> taken = leases.take();
  REQUIRE_FALSE(taken.has_value());
  CHECK(taken.error().message.find("the lock of") == std::string::npos);
  CHECK(world.run_of("b").empty());

  world.fleet.fault = [&](const NodeName& at, const remote::Step& step) {
    if (at != node("b")) return FakeFault::none;
    return is_release(step) ? FakeFault::lost_command : FakeFault::lost_reply;
  };
  const Result<void> again = leases.take();
  REQUIRE_FALSE(again.has_value());
  CHECK(
      again.error().message.find(
          "the lock of b may have been taken all the same and could not be given up") !=
      std::string::npos);
  CHECK(world.run_of("b") == "run-1");
  CHECK(world.run_of("a").empty());
}

TEST_CASE("a node that was never reached is not said to be locked", "[execute]") {
  World world{{"a", "b"}};
  world.fleet.nodes.at(node("b")).up_at = world.fleet.clock().now() + kHour;
  const Result<void> taken = world.leases("run-1").take();
  REQUIRE_FALSE(taken.has_value());
  CHECK(taken.error().message == "b: connection refused");
}

TEST_CASE("a lease is over for its run before it is for a node with a faster clock", "[execute]") {
  World world{{"a"}};
  Leases leases = world.leases("run-1");
  REQUIRE(leases.take());
  // Of 300 s: a clock that is faster by a tenth has counted them after 272.
  CHECK(leases.covers(node("a"), Duration{265'000}));
  CHECK_FALSE(leases.covers(node("a"), Duration{270'000}));
  const remote::Step step = leases.renewal(node("a"), Duration{1'000'000});
  const remote::Argv& argv = std::get<remote::step::Run>(step).command.argv;
  constexpr std::size_t kSeconds = 7;
  CHECK(parse_integer(argv.at(kSeconds)).value_or(0) > 1'160);
}

TEST_CASE("what changes a node is fenced, whoever sends it, and what reads is not", "[execute]") {
  World world{{"a"}};
  Leases leases = world.leases("run-1");
  REQUIRE(leases.take());
  world.fleet.nodes.at(node("a")).ignores_reboot = true;
  world.fleet.trace.clear();
  const auto send = [&](remote::Step step) {
    leases.fenced().start({77, node("a"), std::move(step)});
    for (;;) {
      if (auto result = leases.fenced().wait_any(Duration{60'000})) return *std::move(result);
    }
  };
  const remote::step::Run command{.command = {{"change"}, {}, Duration{1'000}}};
  const remote::step::RunHere reboots{
      .command = {{"ipmitool"}, {}, Duration{1'000}}, .changes_node = true};
  CHECK(send(command).output.exit_status == 0);
  CHECK(send(reboots).output.exit_status == 0);
  CHECK(world.fleet.trace == std::vector<std::string>{"a change", "a true", "a other"});
  world.fleet.nodes.at(node("a")).lock = lock_of("run-9");
  world.fleet.trace.clear();
  for (const remote::Step& step : std::vector<remote::Step>{
           command,
           remote::step::WriteFile{"/fake/x", "A=1\n"},
           remote::step::RemoveFile{"/fake/x"},
           reboots}) {
    const remote::StepResult refused = send(step);
    CHECK(leases.fenced().is_refusal(node("a"), refused));
  }
  CHECK(
      world.fleet.trace ==
      std::vector<std::string>{
          "a refuses change", "a refuses write /fake/x", "a refuses other", "a refuses true"});
  const remote::step::Run reading{.command = {{"look"}, {}, Duration{1'000}}, .reads_only = true};
  CHECK_FALSE(leases.fenced().is_refusal(node("a"), send(reading)));
}

TEST_CASE("a lease that has run out meanwhile is said, and nothing was changed", "[execute]") {
  Applying world;
  Leases leases = world.leases("run-1");
  REQUIRE(leases.take());
  // As if this machine had slept, and its clock with it.
  world.fleet.nodes.at(node("a")).lock->expires = Duration{0};
  const RunResult result = world.apply(leases);
  CHECK(world.fleet.nodes.at(node("a")).commands.empty());
  const auto lost =
      std::find_if(result.actions.begin(), result.actions.end(), [](const ActionResult& each) {
        return each.code == ErrorCode::locked;
      });
  REQUIRE(lost != result.actions.end());
  CHECK(lost->state == ActionState::failed);
  CHECK(lost->detail.find("lease lost") != std::string::npos);
  CHECK(exit_code(result, true, Verification::not_run) == ExitCode::locked);
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
  CHECK(world.fleet.nodes.at(node("b")).commands.empty());  // though its lease is not over for it
  CHECK(std::any_of(result.actions.begin(), result.actions.end(), [](const ActionResult& each) {
    return each.state == ActionState::failed && each.code == ErrorCode::locked &&
           each.detail.find("run-9") != std::string::npos;
  }));
  CHECK(exit_code(result, true, Verification::not_run) == ExitCode::partly_applied);
  CHECK(world.run_of("b") == "run-9");
}
