// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "plans/plan_file.hpp"
#include "plans/planner.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/fake_provider.hpp"

using namespace fabric;
using fabric::test::node;
using fabric::test::ResourceBuilder;

namespace {

using Lines = std::vector<std::string>;

struct World {
  test::FakeFleet fleet;
  FabricSpec spec;
  SourceMap sources;
  std::vector<Resource> resources;
  Disruption settings = Disruption::reboot;

  World() {
    spec.rollout.max_unavailable.value = 1;
    spec.rollout.reboot_timeout.value = Duration{600'000};
  }

  // A card whose setting X must become 2 by a boot.
  void add(const std::string& name) {
    auto& host = fleet.add(name);
    host.at("settings/cx5", "X", Layer::running) = "1";
    host.at("settings/cx5", "X", Layer::next_boot) = "1";
    host.at("cable/p1", "carrier", Layer::running) = "0";
    resources.push_back(ResourceBuilder{name + "/settings/cx5"}.wants("X", 2));
  }

  void cable(const std::string& a, const std::string& b) {
    resources.push_back(ResourceBuilder{a + "/cable/p1"}
                            .wants("carrier", 1)
                            .after(a + "/settings/cx5")
                            .after(b + "/settings/cx5"));
  }

  plans::Plan plan() {
    std::vector<NodeFacts> facts;
    for (const auto& [name, host] : fleet.nodes)
      facts.push_back(fleet.facts(name));
    Diagnostics diagnostics;
    const Registry registry = test::fake_registry(settings);
    const auto snapshot = discovery::observe(resources, facts, registry, diagnostics);
    return plans::make_plan({spec, sources, resources, snapshot, registry, {}}, diagnostics);
  }
};

Lines outline(const plans::Plan& plan) {
  Lines lines;
  for (const plans::Action& action : plan.actions) {
    lines.push_back(fmt::format(
        "{} w{} {} {} <- {}",
        action.id,
        action.wave,
        action.node.str(),
        action.draft.kind,
        fmt::join(action.needs, " ")));
  }
  return lines;
}

}  // namespace

TEST_CASE("a person is asked when both nodes of a cable are done, in the later wave", "[plans]") {
  World world;
  for (const std::string name : {"a", "b", "c"})
    world.add(name);
  world.cable("a", "b");
  world.cable("b", "a");
  const plans::Plan plan = world.plan();
  CHECK(
      outline(plan) == Lines{
                           "a0001 w1 a settings.set <- ",
                           "a0002 w1 a reboot <- a0001",
                           "a0003 w2 b settings.set <- ",
                           "a0004 w2 b reboot <- a0003",
                           "a0005 w2 a manual <- a0001 a0002 a0003 a0004",
                           "a0006 w2 b manual <- a0001 a0002 a0003 a0004",
                           "a0007 w3 c settings.set <- ",
                           "a0008 w3 c reboot <- a0007"});
  const auto read = plans::parse_plan_file(plans::to_plan_file(plan));
  REQUIRE(read);
  CHECK(read->actions[4].draft.by_hand == "connect p1");
}

TEST_CASE("a cable whose other node is not planned is not asked for", "[plans]") {
  World world;
  world.add("a");
  world.add("b");
  world.cable("a", "b");
  world.fleet.nodes.at(node("b")).at("settings/cx5", "X", Layer::next_boot) = "?";
  const plans::Plan plan = world.plan();
  CHECK(outline(plan) == Lines{"a0001 w1 a settings.set <- ", "a0002 w1 a reboot <- a0001"});
  CHECK(plan.changes[0].address.str() == "a/cable/p1");
  CHECK(withheld_text(*plan.changes[0].withheld) == "waits for b/settings/cx5");
}

TEST_CASE("what needs a power cycle is a reboot by hand, whatever the document runs", "[plans]") {
  World world;
  world.settings = Disruption::power_cycle;
  world.spec.rollout.reboot_command.value = {"scontrol", "reboot"};
  world.add("a");
  const plans::Plan plan = world.plan();
  CHECK(outline(plan) == Lines{"a0001 w1 a settings.set <- ", "a0002 w1 a reboot <- a0001"});
  const plans::Action& cycle = plan.actions.back();
  CHECK(cycle.draft.title == "power-cycle a to activate X=2 (cx5)");
  CHECK(cycle.draft.by_hand == "switch a off and on again (a warm reboot is not enough)");
  CHECK(cycle.draft.steps.commands().empty());
  CHECK(cycle.draft.steps.command_here().empty());
  CHECK(cycle.reboot.down == Duration{600'000});
  CHECK(plan.impact.reboots == 1);
  CHECK(plans::parse_plan_file(plans::to_plan_file(plan)));
}
