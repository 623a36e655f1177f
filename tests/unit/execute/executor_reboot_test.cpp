// SPDX-License-Identifier: Apache-2.0
// Reboots: one node of a ring after the other, each proven by its boot_id.
#include <algorithm>
#include <string>
#include <vector>

#include "engine/execute/executor.hpp"
#include "engine/execute/exit_code.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/fake_fleet.hpp"
#include "tests/unit/execute/applied_world.hpp"

using namespace fabric;
using namespace fabric::execute;
using fabric::test::FakeFault;
using fabric::test::fault_on;
using fabric::test::Lines;
using fabric::test::node;
using fabric::test::states;
using fabric::test::World;

TEST_CASE("four nodes of a ring reboot one after the other", "[execute]") {
  World world;
  for (const std::string name : {"a", "b", "c", "d"})
    world.add(name);
  world.ring({"a", "b", "c", "d"});
  CHECK(world.apply().all_done());
  CHECK(world.fleet.most_down == 1);
  for (const auto& [name, host] : world.fleet.nodes)
    CHECK(host.boots == 2);
}

TEST_CASE("a node that never comes back is lost, and nobody cuts the ring further", "[execute]") {
  World world;
  for (const std::string name : {"a", "b", "c"})
    world.add(name);
  world.ring({"a", "b", "c"});
  world.fleet.nodes.at(node("a")).dead_after_reboot = true;
  const RunResult run = world.apply();
  CHECK(run.lost_nodes == std::vector<NodeName>{node("a")});
  CHECK(run.actions[2].state == ActionState::unknown);
  CHECK(run.actions[2].code == ErrorCode::timed_out);
  CHECK(world.fleet.most_down == 1);
  CHECK(exit_code(run, true, Verification::not_run) == ExitCode::node_lost);
  CHECK(
      states(run) == Lines{
                         "a0001 done",
                         "a0002 done",
                         "a0003 unknown",
                         "a0004 not_started",
                         "a0005 not_started",
                         "a0006 skipped",
                         "a0007 not_started",
                         "a0008 not_started",
                         "a0009 skipped"});
  CHECK(run.actions[5].cause == "a0003");
}

TEST_CASE("a node whose card asks for a power cycle is not rebooted in vain", "[execute]") {
  World usual;
  usual.add("a").prints =
      "Applying... Done!\n-I- Please reboot machine to load new configurations.\n";
  CHECK(usual.apply().all_done());
  CHECK(usual.fleet.nodes.at(node("a")).boots == 2);
  World world;
  world.add("a").prints =
      "Applying... Done!\n-I- Please power cycle machine to load new configurations.\n";
  const RunResult run = world.apply();
  CHECK(world.fleet.nodes.at(node("a")).boots == 1);
  const auto failed =
      std::find_if(run.actions.begin(), run.actions.end(), [](const ActionResult& result) {
        return result.state == ActionState::failed;
      });
  REQUIRE(failed != run.actions.end());
  CHECK(
      failed->detail.find("switch a off and on again, then run apply again") != std::string::npos);
}

TEST_CASE("a node that keeps its boot_id was not rebooted", "[execute]") {
  World world;
  world.add("a").ignores_reboot = true;
  const RunResult run = world.apply();
  CHECK(run.actions[2].state == ActionState::failed);
  CHECK(
      run.actions[2].detail ==
      "not rebooted: boot_id is still " + world.fleet.nodes.at(node("a")).boot_id());
  CHECK_FALSE(run.actions[2].booted);
  CHECK(run.lost_nodes.empty());
  CHECK(exit_code(run, true, Verification::not_run) == ExitCode::partly_applied);
}

TEST_CASE("a reboot whose reply is lost is proven all the same", "[execute]") {
  World world;
  world.add("a");
  world.fleet.fault = fault_on("systemctl", FakeFault::lost_reply);
  const RunResult run = world.apply();
  CHECK(run.all_done());
  CHECK(run.actions[2].booted);
  CHECK(world.fleet.nodes.at(node("a")).boots == 2);
}
