// SPDX-License-Identifier: Apache-2.0
// Boots: by which means, when not, and what rolls back a boot that cut the node off.
#include "tests/support/catch.hpp"
#include "tests/unit/plans/planned_world.hpp"

using namespace fabric;
using fabric::test::Lines;
using fabric::test::outline;
using fabric::test::ResourceBuilder;
using fabric::test::World;

TEST_CASE("a reboot can be a command of this machine, given the node's name", "[plans]") {
  World world;
  world.needs_reboot("a");
  world.spec.rollout.reboot_command.value = {"scontrol", "reboot", "nextstate=RESUME"};
  plans::Plan plan = world.plan();
  CHECK(plan.actions.back().draft.steps.commands().empty());
  CHECK(
      plan.actions.back().draft.steps.command_here() ==
      remote::Argv{"scontrol", "reboot", "nextstate=RESUME", "a"});
  const auto read = plans::parse_plan_file(plans::to_plan_file(plan));
  REQUIRE(read);
  CHECK(
      read->actions.back().draft.steps.command_here() ==
      plan.actions.back().draft.steps.command_here());

  world.spec.rollout.reboot_command.value = {"sh", "-c", "ipmitool -H \"$1-bmc\" power cycle"};
  plan = world.plan();
  CHECK(plan.actions.back().draft.steps.command_here().size() == 5);
  CHECK(plan.actions.back().draft.steps.command_here().back() == "a");
}

TEST_CASE("a staged plan writes what the next boot needs, and boots nobody", "[plans]") {
  World world;
  for (const std::string name : {"a", "b", "c"}) {
    world.needs_reboot(name);
    world.resources.push_back(ResourceBuilder{name + "/interface/cx5.1"}
                                  .wants("mtu", 9000)
                                  .after(name + "/settings/cx5"));
  }
  world.ring({"a", "b", "c"});
  world.at("b", "settings/cx5", "X", Layer::next_boot) = "2";
  const plans::Plan plan = world.plan(true);
  CHECK(world.diagnostics.empty());
  CHECK(
      outline(plan) == Lines{
                           "a0001 w0 a settings.set",
                           "a0002 w0 a file.write <- a0001",
                           "a0003 w0 b file.write",
                           "a0004 w0 c settings.set",
                           "a0005 w0 c file.write <- a0004"});
  CHECK(plan.impact.reboots == 0);
  CHECK(plan.waves.empty());
  CHECK(plan.summary.withheld == 1);
  const auto read = plans::parse_plan_file(plans::to_plan_file(plan));
  REQUIRE(read);
  CHECK(read->stage);
}

// As a virtual switch of ESXi, which keeps what it is told.
TEST_CASE("what is written as it comes into force is done before the boot, not by it", "[plans]") {
  World world;
  world.needs_reboot("a");
  world.resources.push_back(
      ResourceBuilder{"a/interface/cx5.1"}.wants("mtu", 9000).binding("at_once", true));
  const plans::Plan plan = world.plan();
  CHECK(world.diagnostics.empty());
  CHECK(
      outline(plan) ==
      Lines{
          "a0001 w1 a file.write", "a0002 w1 a settings.set", "a0003 w1 a reboot <- a0001 a0002"});
  // Nothing comes into force where a plan only stages.
  CHECK(outline(world.plan(true)) == Lines{"a0001 w0 a settings.set"});
}

// Whoever wrote it got no further, and the boot that is for something else makes it run.
TEST_CASE(
    "a file that waits there already is rolled back by the boot that makes it run", "[plans]") {
  World world;
  world.needs_reboot("a");
  world.at("a", "interface/cx5.1", "mtu", Layer::persistent) = "9000";
  world.at("a", "interface/cx5.1", "mtu", Layer::running) = "1500";
  ResourceBuilder interface = ResourceBuilder{"a/interface/cx5.1"}.wants("mtu", 9000);

  SECTION("if it can cut the node off") {
    world.resources.push_back(interface.binding("cuts_off", true));
    world.spec.rollout.confirm_timeout.value = Duration{90'000};
    const plans::Plan plan = world.plan();
    CHECK(outline(plan) == Lines{"a0001 w1 a settings.set", "a0002 w1 a reboot <- a0001"});
    const plans::Action& reboot = plan.actions.back();
    CHECK(reboot.guard == Duration{90'000});
    CHECK(reboot.draft.undo.removes() == std::vector<std::string>{"/fake/interface/cx5.1"});
    CHECK(
        reboot.draft.undo.commands() ==
        std::vector<remote::Argv>{{"calm", "interface/cx5.1"}, {"calm", "the network"}});
  }
  SECTION("and not if it can't") {
    world.resources.push_back(interface);
    const plans::Plan plan = world.plan();
    REQUIRE(plan.actions.size() == 2);
    CHECK(plan.actions.back().guard == Duration{0});
    CHECK(plan.actions.back().draft.undo.removes().empty());
  }
}

// What takes a name back has to run before what needs the name, and what both ask for after both.
TEST_CASE("a boot is rolled back in the order in which it was prepared", "[plans]") {
  World world;
  world.needs_reboot("a");
  for (const char* name : {"interface/a", "interface/z"}) {
    world.at("a", name, "mtu", Layer::persistent) = "1500";
    world.at("a", name, "mtu", Layer::running) = "1500";
  }
  world.resources.push_back(ResourceBuilder{"a/interface/a"}
                                .wants("mtu", 9000)
                                .binding("cuts_off", true)
                                .after("a/interface/z"));
  world.resources.push_back(
      ResourceBuilder{"a/interface/z"}.wants("mtu", 9000).binding("cuts_off", true));
  const plans::Plan plan = world.plan();
  CHECK(
      plan.actions.back().draft.undo.commands() ==
      std::vector<remote::Argv>{
          {"calm", "interface/z"}, {"calm", "interface/a"}, {"calm", "the network"}});
}
