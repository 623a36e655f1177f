// SPDX-License-Identifier: Apache-2.0
// What moved since the plan was made, and nodes that do not answer any more.
#include <string>

#include "engine/execute/executor.hpp"
#include "engine/execute/exit_code.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/fake_fleet.hpp"
#include "tests/unit/execute/applied_world.hpp"

using namespace fabric;
using namespace fabric::execute;
using fabric::test::FakeNode;
using fabric::test::node;
using fabric::test::World;

TEST_CASE("what moved since the plan was made is stale and not overwritten", "[execute]") {
  World world;
  FakeNode& host = world.add("a");
  const plans::Plan plan = world.plan();
  host.at("settings/cx5", "X", Layer::next_boot) = "7";

  const auto fresh = check_fresh(world.inputs(plan));
  REQUIRE_FALSE(fresh.has_value());
  CHECK(fresh.error().code == ErrorCode::stale);
  CHECK(fresh.error().message == "a/settings/cx5 X (next_boot): expected 1, found 7; plan again");

  const RunResult run = world.apply(plan);
  CHECK(run.actions[0].code == ErrorCode::stale);
  CHECK(world.fleet.trace.empty());
  CHECK(exit_code(run, true, Verification::not_run) == ExitCode::stale);
}

TEST_CASE("a plan is fresh while nothing that it relies on has moved", "[execute]") {
  World world;
  FakeNode& host = world.add("a");
  const plans::Plan plan = world.plan();
  CHECK(check_fresh(world.inputs(plan)).has_value());
  SECTION("a reboot by somebody else does not matter") {
    ++host.boots;
  }
  SECTION("what was done already does not matter") {
    host.at("settings/cx5", "X", Layer::next_boot) = "2";
  }
  CHECK(check_fresh(world.inputs(plan)).has_value());
}

TEST_CASE("a node is done by what its last actions make, and not by what they end", "[execute]") {
  World world;
  FakeNode& host = world.add("a");
  plans::Plan plan = world.plan();
  CHECK(world.apply(plan).all_done());
  // As a drain in front of its release.
  plans::Action drain{.id = "a0000", .node = node("a")};
  drain.draft.postconditions = {{test::address("a/settings/cx5"), "X", Layer::next_boot, Value{7}}};
  plan.actions.insert(plan.actions.begin(), drain);
  ExecuteInputs inputs = world.inputs(plan);
  inputs.former.done = {node("a")};
  CHECK(check_fresh(inputs).value() == std::set<NodeName>{node("a")});
  host.at("settings/cx5", "X", Layer::next_boot) = "7";
  const auto fresh = check_fresh(inputs);
  CHECK((!fresh || fresh->empty()));
}

TEST_CASE("another machine under the same name is stale", "[execute]") {
  World world;
  FakeNode& host = world.add("a");
  const plans::Plan plan = world.plan();
  const std::string before = host.machine_id;
  host.machine_id = "ffffffffffffffffffffffffffffffff";
  const auto fresh = check_fresh(world.inputs(plan));
  REQUIRE_FALSE(fresh.has_value());
  CHECK(
      fresh.error().message ==
      "a machine_id: expected " + before + ", found " + host.machine_id + "; plan again");
  CHECK(world.apply(plan).actions[0].code == ErrorCode::stale);
}

TEST_CASE("a node that can't be reached fails its own work and stops the next wave", "[execute]") {
  World world;
  world.add("a");
  world.add("b");
  const plans::Plan plan = world.plan();
  world.fleet.nodes.at(node("a")).up_at = TimePoint::max();
  const auto fresh = check_fresh(world.inputs(plan));
  REQUIRE_FALSE(fresh.has_value());
  CHECK(fresh.error().code == ErrorCode::unreachable);
  CHECK(fresh.error().message == "a: connection refused");
  const RunResult run = world.apply(plan);
  CHECK(run.actions[0].code == ErrorCode::unreachable);
  CHECK(run.actions[3].state == ActionState::not_started);
  CHECK(exit_code(run, true, Verification::not_run) == ExitCode::unreachable);
}
