// SPDX-License-Identifier: Apache-2.0
#include "tests/support/catch.hpp"
#include "tests/unit/plans/planned_world.hpp"

using namespace fabric;
using fabric::test::address;
using fabric::test::Lines;
using fabric::test::node;
using fabric::test::outline;
using fabric::test::ResourceBuilder;
using fabric::test::World;

TEST_CASE("a node is written, then rebooted once, whatever needs the boot", "[plans]") {
  World world;
  world.needs_reboot("a");
  world.at("a", "settings/cx6", "Y", Layer::running) = "0";
  world.at("a", "settings/cx6", "Y", Layer::next_boot) = "0";
  world.resources.push_back(ResourceBuilder{"a/settings/cx6"}.wants("Y", 1));
  world.resources.push_back(
      ResourceBuilder{"a/interface/cx5.1"}.wants("mtu", 9000).after("a/settings/cx5"));
  const plans::Plan plan = world.plan();
  CHECK(
      outline(plan) == Lines{
                           "a0001 w1 a settings.set",
                           "a0002 w1 a file.write <- a0001",
                           "a0003 w1 a settings.set",
                           "a0004 w1 a reboot <- a0001 a0002 a0003"});
  const plans::Action& reboot = plan.actions.back();
  CHECK(reboot.draft.title == "reboot a to activate X=2 (cx5), Y=1 (cx6)");
  CHECK(reboot.draft.steps.commands() == std::vector<remote::Argv>{{"systemctl", "reboot"}});
  CHECK(reboot.reboot.up == Duration{600'000});
  CHECK(
      reboot.draft.postconditions ==
      std::vector<Condition>{
          {address("a/interface/cx5.1"), "mtu", Layer::running, 9000},
          {address("a/settings/cx5"), "X", Layer::running, 2},
          {address("a/settings/cx6"), "Y", Layer::running, 1}});
  CHECK(plan.summary.change == 2);
  CHECK(plan.summary.add == 1);
  CHECK(plan.impact.reboots == 1);
  CHECK(plan.complete());
}

TEST_CASE("what is armed already needs the boot alone", "[plans]") {
  World world;
  world.needs_reboot("a");
  world.at("a", "settings/cx5", "X", Layer::next_boot) = "2";
  const plans::Plan plan = world.plan();
  CHECK(outline(plan) == Lines{"a0001 w1 a reboot"});
  CHECK(
      plan.actions[0].draft.preconditions ==
      std::vector<Condition>{{address("a/settings/cx5"), "X", Layer::next_boot, 2}});
}

TEST_CASE("a file is written only where it still says what was read", "[plans]") {
  World world;
  auto& host = world.fleet.add("a");
  host.at("interface/p1", "mtu", Layer::running) = "1500";
  host.at("interface/p1", "mtu", Layer::persistent) = "1500";
  world.resources.push_back(ResourceBuilder{"a/interface/p1"}.wants("mtu", 9000).wants("vlans", 2));
  const plans::Plan plan = world.plan();
  REQUIRE(!plan.actions.empty());
  CHECK(plan.actions.front().draft.kind == "file.write");
  CHECK(
      plan.actions.front().draft.preconditions ==
      std::vector<Condition>{
          {address("a/interface/p1"), "mtu", Layer::persistent, 1500},
          {address("a/interface/p1"), "vlans", Layer::persistent, Value{}}});
}

TEST_CASE("a foreign value for next boot is set back without a reboot", "[plans]") {
  World world;
  world.needs_reboot("a");
  world.at("a", "settings/cx5", "X", Layer::running) = "2";
  const plans::Plan plan = world.plan();
  CHECK(outline(plan) == Lines{"a0001 w0 a settings.set"});
  // A boot that comes between makes the foreign value run, and the plan stale.
  const std::vector<Condition>& expected = plan.actions.at(0).draft.preconditions;
  CHECK(
      std::count(
          expected.begin(),
          expected.end(),
          Condition{address("a/settings/cx5"), "X", Layer::running, 2}) == 1);
}

TEST_CASE("a running value that can't be seen is activated by one reboot", "[plans]") {
  World world;
  world.needs_reboot("a");
  world.at("a", "settings/cx5", "X", Layer::running) = "?";
  CHECK(outline(world.plan()) == Lines{"a0001 w1 a settings.set", "a0002 w1 a reboot <- a0001"});
}

TEST_CASE("without a reboot each resource is activated by itself", "[plans]") {
  World world;
  world.fleet.add("a");
  world.resources.push_back(ResourceBuilder{"a/interface/cx5.1"}.wants("mtu", 9000));
  world.resources.push_back(ResourceBuilder{"a/sysctl/storage"}.wants("rp", 2));
  const plans::Plan plan = world.plan();
  CHECK(
      outline(plan) == Lines{
                           "a0001 w1 a file.write",
                           "a0002 w1 a file.activate <- a0001",
                           "a0003 w1 a file.write",
                           "a0004 w1 a file.activate <- a0003"});
  CHECK(plan.impact.link_flaps == 1);
}

TEST_CASE("ring neighbours reboot in different waves, the later needing the earlier", "[plans]") {
  World world;
  world.spec.rollout.max_unavailable.value = 2;
  for (const std::string name : {"a", "b", "c", "d"})
    world.needs_reboot(name);
  world.ring({"a", "b", "c", "d"});
  const plans::Plan plan = world.plan();
  CHECK(
      outline(plan) == Lines{
                           "a0001 w1 a settings.set",
                           "a0002 w1 a reboot <- a0001",
                           "a0003 w1 c settings.set",
                           "a0004 w1 c reboot <- a0003",
                           "a0005 w2 b settings.set",
                           "a0006 w2 b reboot <- a0002 a0004 a0005",
                           "a0007 w2 d settings.set",
                           "a0008 w2 d reboot <- a0002 a0004 a0007"});
  CHECK(plan.actions[1].mutex == Lines{"ring:storage/a+b", "ring:storage/a+d"});
  CHECK(plan.actions[0].mutex.empty());
}

TEST_CASE("a node that is down already holds its neighbours back, and more by count", "[plans]") {
  World world;
  for (const std::string name : {"a", "b", "c", "d"})
    world.needs_reboot(name);
  world.ring({"a", "b", "c", "d"});
  world.unreachable.insert(node("a"));

  SECTION("by default nothing more may go down") {
    const plans::Plan plan = world.plan();
    CHECK(plan.actions.empty());
    CHECK_FALSE(plan.complete());
    CHECK(plan.summary.unknown == 1);
    CHECK(plan.summary.withheld == 3);
    CHECK(world.diagnostics.count(Severity::warning) == 4);
    CHECK(
        world.diagnostics.items()[0].message ==
        "a was not reached, so nothing is planned there: no route to host");
  }
  SECTION("two at a time leave the far side of the ring") {
    world.spec.rollout.max_unavailable.value = 2;
    CHECK(outline(world.plan()) == Lines{"a0001 w1 c settings.set", "a0002 w1 c reboot <- a0001"});
  }
}

TEST_CASE("what waits for something unknown is not planned and says for what", "[plans]") {
  World world;
  world.needs_reboot("a");
  world.at("a", "settings/cx5", "X", Layer::next_boot) = "?";
  world.resources.push_back(
      ResourceBuilder{"a/sysctl/names"}.wants("n", 1).after("a/settings/cx5"));
  world.resources.push_back(
      ResourceBuilder{"a/interface/cx5.1"}.wants("mtu", 9000).after("a/sysctl/names"));
  world.resources.push_back(ResourceBuilder{"a/sysctl/storage"}.wants("rp", 2));
  const plans::Plan plan = world.plan();
  CHECK(outline(plan) == Lines{"a0001 w0 a file.write", "a0002 w0 a file.activate <- a0001"});
  REQUIRE(plan.changes.size() == 4);
  CHECK(withheld_text(*plan.changes[0].withheld) == "waits for a/settings/cx5");
  CHECK(withheld_text(*plan.changes[1].withheld) == "X is unknown (not readable)");
  CHECK(withheld_text(*plan.changes[2].withheld) == "waits for a/settings/cx5");
  CHECK_FALSE(plan.changes[3].withheld);
}

TEST_CASE("an observed resource is compared and never planned", "[plans]") {
  World world;
  world.needs_reboot("a");
  world.resources[0].binding.emplace("observe", true);
  const plans::Plan plan = world.plan();
  CHECK(plan.actions.empty());
  REQUIRE(plan.changes.size() == 1);
  CHECK(plan.changes[0].kind == ChangeKind::update);
  CHECK(withheld_text(*plan.changes[0].withheld) == "only observed (state: observe)");
  CHECK_FALSE(plan.empty());
}

TEST_CASE("a resource of another node is waited for until it is in force", "[plans]") {
  World world;
  world.needs_reboot("a");
  world.needs_reboot("b");
  world.resources[0].after.push_back(address("b/settings/cx5"));
  CHECK(
      outline(world.plan()) == Lines{
                                   "a0001 w1 b settings.set",
                                   "a0002 w1 b reboot <- a0001",
                                   "a0003 w2 a settings.set <- a0001 a0002",
                                   "a0004 w2 a reboot <- a0003"});
}

TEST_CASE("a cycle among resources is an error that shows the way round", "[plans]") {
  World world;
  world.sources.add("fabric.yaml", "one\ntwo\n");
  world.needs_reboot("a");
  world.needs_reboot("b");
  world.resources[0].origin = {FileId{1}, 0, 3};
  world.resources[1].origin = {FileId{1}, 4, 7};
  world.resources[0].after.push_back(address("b/settings/cx5"));
  world.resources[1].after.push_back(address("a/settings/cx5"));
  const plans::Plan plan = world.plan();
  CHECK(plan.actions.empty());
  REQUIRE(world.diagnostics.items().size() == 1);
  const Diagnostic& found = world.diagnostics.items()[0];
  CHECK(found.rule == "plan-cycle");
  CHECK(
      found.message ==
      "resources wait for each other: a/settings/cx5 -> b/settings/cx5 -> a/settings/cx5");
  REQUIRE(found.related.size() == 2);
  CHECK(
      found.related[0].message ==
      "b/settings/cx5 (fabric.yaml:2) comes after a/settings/cx5 (fabric.yaml:1)");
}

TEST_CASE("nodes that wait for each other's reboot are an error too", "[plans]") {
  World world;
  world.needs_reboot("a");
  world.needs_reboot("b");
  world.resources.push_back(ResourceBuilder{"a/sysctl/s"}.wants("x", 1).after("b/settings/cx5"));
  world.resources.push_back(ResourceBuilder{"b/sysctl/s"}.wants("x", 1).after("a/settings/cx5"));
  CHECK(world.plan().actions.empty());
  REQUIRE(world.diagnostics.items().size() == 1);
  CHECK(world.diagnostics.items()[0].message == "nodes wait for each other's reboots: a -> b -> a");
}

TEST_CASE("what a provider can't do is an error, and nothing is half-applied", "[plans]") {
  World world;
  world.needs_reboot("a");
  world.needs_reboot("b");
  world.resources[0].binding.emplace("impossible", true);
  const plans::Plan plan = world.plan();
  CHECK(plan.actions.empty());
  REQUIRE(world.diagnostics.has_errors());
  CHECK(world.diagnostics.items()[0].rule == "change-impossible");
  CHECK(world.diagnostics.items()[0].message == "a/settings/cx5: this card can't do that");
}

TEST_CASE("a file is not replaced if what a rollback would put back was not read", "[plans]") {
  for (const bool is_secret : {false, true}) {
    World world;
    world.needs_reboot("a");
    world.resources[0].binding.emplace("former", is_secret ? "m_key (secret)" : "m_key 0");
    const plans::Plan plan = world.plan();
    CHECK(plan.actions.empty() == is_secret);
    REQUIRE(world.diagnostics.has_errors() == is_secret);
    if (!is_secret) continue;
    CHECK(world.diagnostics.items()[0].rule == "change-impossible");
    CHECK(world.diagnostics.items()[0].message.starts_with(
        "a/settings/cx5: /fake/settings/cx5 holds a secret"));
  }
}

TEST_CASE("no name of a resource is a line or a way out of the folder of its kind", "[plans]") {
  for (const std::string_view name :
       {"x/../../etc/modprobe.d/evil",
        "x\ninstall dummy touch PWNED",
        "x y",
        "x\"",
        "x$(id)",
        "x%n"}) {
    World world;
    world.fleet.add("a");
    Resource resource = ResourceBuilder{"a/sysctl/s"}.wants("x", 1);
    resource.address.name = InternedText{name};
    world.resources.push_back(resource);
    world.at("a", "sysctl/" + std::string{name}, "x", Layer::running) = "0";
    world.at("a", "sysctl/" + std::string{name}, "x", Layer::persistent) = "0";
    INFO(name);
    CHECK(world.plan().actions.empty());
    REQUIRE(world.diagnostics.has_errors());
    CHECK(world.diagnostics.items()[0].rule == "change-impossible");
  }
}

TEST_CASE("the order in which resources come changes nothing", "[plans]") {
  const auto text = [](bool reversed) {
    World world;
    for (const std::string name : {"a", "b", "c", "d", "e"})
      world.needs_reboot(name);
    world.ring({"a", "b", "c", "d", "e"});
    if (reversed) std::reverse(world.resources.begin(), world.resources.end());
    return plans::to_plan_file(world.plan());
  };
  CHECK(text(false) == text(true));
}

TEST_CASE("a fabric of 2,000 nodes is planned at one reboot each, in order", "[plans]") {
  World world;
  std::vector<std::string> names;
  for (int i = 0; i < 2'000; ++i)
    names.push_back(fmt::format("n{:05}", i));
  for (const std::string& name : names) {
    world.needs_reboot(name);
    world.resources.push_back(ResourceBuilder{name + "/interface/cx5.1"}
                                  .wants("mtu", 9000)
                                  .after(name + "/settings/cx5"));
  }
  world.spec.rollout.max_unavailable.value = 1'000;
  world.ring(names);
  const plans::Plan plan = world.plan();
  CHECK(plan.actions.size() == 6'000);
  CHECK(plan.impact.reboots == 2'000);
  CHECK(plan.waves.size() == 2);
}
