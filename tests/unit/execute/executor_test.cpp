// SPDX-License-Identifier: Apache-2.0
// The executor: a plan is carried out once, and an interrupt ends it early.
#include "engine/execute/executor.hpp"

#include "engine/execute/exit_code.hpp"

#include "tests/support/catch.hpp"
#include "tests/unit/execute/applied_world.hpp"

using namespace fabric;
using namespace fabric::execute;
using fabric::test::Lines;
using fabric::test::states;
using fabric::test::World;

TEST_CASE("a plan is carried out, and a second one is empty", "[execute]") {
  World world;
  world.add("a");
  const RunResult run = world.apply();
  CHECK(states(run) == Lines{"a0001 done", "a0002 done", "a0003 done"});
  CHECK(
      world.recorder.events == Lines{
                                   "wave 1",
                                   "start a0001",
                                   "a0001: reading back",
                                   "end a0001 done",
                                   "start a0002",
                                   "a0002: reading back",
                                   "end a0002 done",
                                   "start a0003",
                                   "a0003: rebooting",
                                   "a0003: waiting for the node to go down",
                                   "a0003: waiting for the node to come back",
                                   "a0003: watching whether it stays up",
                                   "a0003: reading back",
                                   "end a0003 done"});
  CHECK(
      world.fleet.trace ==
      Lines{"a set settings/cx5 X=2", "a write /fake/interface/p1", "a systemctl reboot"});
  CHECK(world.recorder.heartbeats > 5);
  CHECK(world.plan().empty());
  CHECK(exit_code(run, true, Verification::passed) == ExitCode::done);
}

TEST_CASE("a plan carried out twice writes nothing the second time", "[execute]") {
  World world;
  world.add("a");
  const plans::Plan plan = world.plan();
  world.apply(plan);
  world.fleet.trace.clear();
  CHECK(
      states(world.apply(plan)) ==
      Lines{"a0001 already_satisfied", "a0002 already_satisfied", "a0003 already_satisfied"});
  CHECK(world.fleet.trace.empty());
}

TEST_CASE("an interrupt lets what runs end and begins nothing more", "[execute]") {
  World world;
  world.add("a");
  int asked = 0;
  world.interrupted = [&asked] {
    return ++asked > 4;
  };
  const RunResult run = world.apply();
  CHECK(run.cancelled);
  CHECK(run.actions[0].state == ActionState::done);
  CHECK(run.actions[2].state == ActionState::not_started);
  CHECK(run.actions[2].detail == "the run was interrupted");
  CHECK(exit_code(run, true, Verification::not_run) == ExitCode::cancelled);
}
