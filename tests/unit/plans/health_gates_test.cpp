// SPDX-License-Identifier: Apache-2.0
#include "plans/health_gates.hpp"

#include <fmt/format.h>

#include "engine/provider/action_methods.hpp"
#include "plans/planner.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/fake_provider.hpp"

using namespace fabric;
using fabric::test::node;
using fabric::test::ResourceBuilder;

namespace {

using Lines = std::vector<std::string>;

// Nodes whose card needs a boot, and cables between their ports.
struct World {
  test::FakeFleet fleet;
  FabricSpec spec;
  SourceMap sources;
  std::vector<Resource> resources;

  World() {
    spec.rollout.max_unavailable.value = 1;
    spec.rollout.reboot_timeout.value = Duration{600'000};
    spec.rollout.confirm_timeout.value = Duration{120'000};
  }

  void add(const std::string& name, const std::string& parameter = "X") {
    auto& host = fleet.add(name);
    host.at("settings/cx5", parameter, Layer::running) = "1";
    host.at("settings/cx5", parameter, Layer::next_boot) = "1";
    resources.push_back(ResourceBuilder{name + "/settings/cx5"}.wants(parameter, 2));
  }

  // One end, with a carrier now or without.
  void port(const std::string& name, const std::string& other, bool carrier = true) {
    fleet.nodes.at(node(name)).at("carrier/cx5.1", "carrier", Layer::running) = carrier ? "1" : "0";
    resources.push_back(ResourceBuilder{name + "/carrier/cx5.1"}
                            .binding("own_adapter", "cx5")
                            .binding("other_end", other + "/cx5/1")
                            .binding("other_node", other)
                            .binding("other_adapter", "cx5"));
  }

  plans::Plan plan() {
    std::vector<NodeFacts> facts;
    for (const auto& [name, host] : fleet.nodes)
      facts.push_back(fleet.facts(name));
    Diagnostics diagnostics;
    const Registry registry = test::fake_registry();
    const auto snapshot = discovery::observe(resources, facts, registry, diagnostics);
    return plans::make_plan({spec, sources, resources, snapshot, registry, {}}, diagnostics);
  }
};

Lines outline(const plans::Plan& plan) {
  Lines lines;
  for (const plans::Action& action : plan.actions) {
    lines.push_back(fmt::format(
        "{} w{} {} {} <- {} after {}",
        action.id,
        action.wave,
        action.node.str(),
        action.draft.kind,
        fmt::join(action.needs, " "),
        fmt::join(action.after, " ")));
  }
  return lines;
}

}  // namespace

TEST_CASE("what had a carrier is seen to have one again after the boot", "[plans]") {
  World world;
  world.add("a");
  world.fleet.add("b");
  world.port("a", "b");
  world.port("b", "a");
  const plans::Plan plan = world.plan();
  CHECK(
      outline(plan) == Lines{
                           "a0001 w1 a settings.set <-  after ",
                           "a0002 w1 a reboot <- a0001 after ",
                           "a0003 w1 a health.check <- a0002 after a0001"});
  const ActionDraft& gate = plan.actions.back().draft;
  CHECK(gate.title == "see that the link cx5.1 to b/cx5/1 is up again");
  CHECK(gate.timeout == Duration{120'000});
  CHECK(gate.disruption == Disruption::none);
  CHECK(plan.impact.irreversible.empty());
}

TEST_CASE("what had none before is not asked for one afterwards", "[plans]") {
  World world;
  world.add("a");
  world.port("a", "b", false);
  CHECK(world.plan().actions.size() == 2);
}

TEST_CASE("a port that becomes another kind of port is not compared with itself", "[plans]") {
  World world;
  SECTION("its own card") {
    world.add("a", "LINK_TYPE_P1");
    world.fleet.add("b");
  }
  SECTION("the card at the other end") {
    world.add("a");
    world.add("b", "LINK_TYPE_P1");
  }
  world.port("a", "b");
  for (const plans::Action& action : world.plan().actions)
    CHECK(action.draft.kind != methods::kHealthCheck);
}

TEST_CASE("where both ends are down together, neither is judged before both are up", "[plans]") {
  World world;
  world.spec.rollout.max_unavailable.value = 2;
  world.add("a");
  world.add("b");
  world.port("a", "b");
  world.port("b", "a");
  CHECK(
      outline(world.plan()) == Lines{
                                   "a0001 w1 a settings.set <-  after ",
                                   "a0002 w1 a reboot <- a0001 after ",
                                   "a0003 w1 b settings.set <-  after ",
                                   "a0004 w1 b reboot <- a0003 after ",
                                   "a0005 w1 a health.check <- a0002 after a0001 a0004",
                                   "a0006 w1 b health.check <- a0004 after a0002 a0003"});
}

TEST_CASE("no neighbour in a ring is disturbed before the gate is passed", "[plans]") {
  World world;
  NetworkSpec network;
  network.name = "storage";
  network.mode.value = Mode::chain;
  for (const auto& [one, other] : {std::pair{"a", "b"}, {"b", "c"}, {"c", "a"}}) {
    network.cables.push_back(
        {{{node(one), "cx5", "1"}, {}}, {{node(other), "cx5", "2"}, {}}, {}, {}, {}, {}, {}});
  }
  world.spec.networks.emplace("storage", network);
  world.add("a");
  world.add("b");
  world.fleet.add("c");
  world.port("a", "c");
  CHECK(
      outline(world.plan()) == Lines{
                                   "a0001 w1 a settings.set <-  after ",
                                   "a0002 w1 a reboot <- a0001 after ",
                                   "a0003 w1 a health.check <- a0002 after a0001",
                                   "a0004 w2 b settings.set <-  after ",
                                   "a0005 w2 b reboot <- a0002 a0003 a0004 after "});
}
