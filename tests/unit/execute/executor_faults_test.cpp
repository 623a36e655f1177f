// SPDX-License-Identifier: Apache-2.0
// Steps that fail, lie or lose their reply: what is tried again, and what is said.
#include <algorithm>
#include <optional>
#include <string>
#include <variant>

#include "engine/execute/executor.hpp"
#include "engine/execute/exit_code.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/fake_fleet.hpp"
#include "tests/unit/execute/applied_world.hpp"

using namespace fabric;
using namespace fabric::execute;
using fabric::test::FakeFault;
using fabric::test::FakeNode;
using fabric::test::fault_on;
using fabric::test::Lines;
using fabric::test::states;
using fabric::test::World;

TEST_CASE("a lost reply is no failure: the read-back decides", "[execute]") {
  World world;
  world.add("a");
  world.fleet.fault = fault_on("set", FakeFault::lost_reply);
  const RunResult run = world.apply();
  CHECK(run.all_done());
  CHECK(
      run.actions[0].detail == "set settings/cx5 X=2: connection lost; read back and found right");
}

TEST_CASE("a command that was lost before it ran is tried once more", "[execute]") {
  World world;
  world.add("a");
  world.fleet.fault = fault_on("set", FakeFault::lost_command);
  CHECK(world.apply().all_done());

  SECTION("but only once") {
    World again;
    again.add("a");
    again.fleet.fault = fault_on("set", FakeFault::lost_command, 2);
    const RunResult run = again.apply();
    CHECK(states(run) == Lines{"a0001 failed", "a0002 skipped", "a0003 skipped"});
    CHECK(
        run.actions[0].detail ==
        "set settings/cx5 X=2: connection lost, and read back a/settings/cx5 X (next_boot): "
        "expected 2, found 1");
    CHECK(run.actions[0].code == ErrorCode::maybe_applied);
  }
}

TEST_CASE("what is done once is never begun again after a lost reply", "[execute]") {
  World world;
  FakeNode& host = world.add("a");
  plans::Plan plan = world.plan();
  plan.actions[0].draft.once = true;
  plan.actions[0].draft.timeout = Duration{600'000};
  const auto sets = [&world] {
    return std::count(world.fleet.trace.begin(), world.fleet.trace.end(), "a set settings/cx5 X=2");
  };

  SECTION("it did not happen") {
    world.fleet.fault = fault_on("set", FakeFault::lost_command);
    const RunResult run = world.apply(plan);
    CHECK(states(run) == Lines{"a0001 failed", "a0002 skipped", "a0003 skipped"});
    CHECK(run.actions[0].detail.find("expected 2, found 1") != std::string::npos);
    CHECK(sets() == 1);
  }
  SECTION("it happened") {
    world.fleet.fault = fault_on("set", FakeFault::lost_reply);
    CHECK(world.apply(plan).all_done());
    CHECK(sets() == 1);
  }
  const auto goes_on = [&](const NodeName&, const remote::Step& step) {
    const auto* run = std::get_if<remote::step::Run>(&step);
    if (run == nullptr || run->command.argv.front() != "set") return FakeFault::none;
    host.at("settings/cx5", "X", Layer::next_boot) = "?";
    return FakeFault::lost_command;
  };
  SECTION("it goes on for four minutes, which are waited for") {
    world.fleet.fault = goes_on;
    world.interrupted = [&] {
      std::optional<std::string>& next = host.at("settings/cx5", "X", Layer::next_boot);
      if (world.fleet.clock().now() > TimePoint{Duration{240'000}} && next == "?") next = "2";
      return false;
    };
    CHECK(world.apply(plan).all_done());
    CHECK(sets() == 1);
  }
  SECTION("nobody ever learns what became of it") {
    world.fleet.fault = goes_on;
    const RunResult run = world.apply(plan);
    CHECK(states(run) == Lines{"a0001 unknown", "a0002 skipped", "a0003 skipped"});
    CHECK(world.fleet.clock().now() > TimePoint{Duration{600'000}});
    CHECK(sets() == 1);
  }
}

TEST_CASE("a write that was cut is written again", "[execute]") {
  World world;
  world.add("a");
  world.fleet.fault = fault_on("write", FakeFault::lost_command, 2);
  CHECK(world.apply().all_done());
}

TEST_CASE("an exit status of 0 is not believed", "[execute]") {
  World world;
  world.add("a");
  world.fleet.fault = fault_on("set", FakeFault::lies);
  const RunResult run = world.apply();
  CHECK(run.actions[0].state == ActionState::failed);
  CHECK(
      run.actions[0].detail ==
      "every step reported success, and read back a/settings/cx5 X (next_boot): expected 2, found "
      "1");
  CHECK(run.actions[2].cause == "a0001");
  CHECK(exit_code(run, true, Verification::not_run) == ExitCode::failed);
}

TEST_CASE("a command that fails is told with its last words", "[execute]") {
  World world;
  world.add("a");
  world.fleet.fault = fault_on("set", FakeFault::exit_1);
  CHECK(
      world.apply().actions[0].detail ==
      "set settings/cx5 X=2: exit 1: -E- Failed to open the device, and read back "
      "a/settings/cx5 X (next_boot): expected 2, found 1");
}

TEST_CASE("what an action is told with holds no secret, wherever it comes from", "[execute]") {
  World world;
  world.add("a");
  world.resources[0].desired.clear();
  world.resources[0].desired.emplace("X", DesiredAttribute{"psk=Canary9", {}, ""});
  world.fleet.fault = fault_on("set", FakeFault::exit_1);
  const std::string detail = world.apply().actions[0].detail;
  INFO(detail);
  CHECK(detail.find("psk=(secret)") != std::string::npos);
  CHECK(detail.find("Canary9") == std::string::npos);
}
