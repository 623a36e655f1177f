// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/plans/planned_world.hpp"

namespace fabric::test {
namespace {

CableSpec cable(const PortRef& a, const PortRef& b) {
  return {{a, {}}, {b, {}}, {}, "", "", "", ""};
}

// Four hosts in a ring that forward for each other.
struct TransitRing : World {
  TransitRing() {
    NetworkSpec network;
    network.name = "ring";
    network.mode.value = Mode::ethernet;
    network.transit.value = Transit::by_frr;
    const std::vector<std::string> names{"a", "b", "c", "d"};
    for (std::size_t i = 0; i < names.size(); ++i) {
      spec.nodes.emplace(node(names[i]), NodeSpec{node(names[i])});
      network.cables.push_back(
          cable({node(names[i]), "cx", "1"}, {node(names[(i + 1) % names.size()]), "cx", "2"}));
    }
    spec.networks.emplace("ring", network);
  }
};

// Bonds of two hosts at two switches.
struct Bonds : World {
  Bonds() {
    NetworkSpec network;
    network.name = "bonds";
    network.mode.value = Mode::lag;
    for (const char* leaf : {"leaf1", "leaf2"}) {
      NodeSpec spec_of_leaf{node(leaf)};
      spec_of_leaf.platform.value = Platform::unmanaged;
      spec.nodes.emplace(node(leaf), std::move(spec_of_leaf));
    }
    for (const char* host : {"s1", "s2"}) {
      spec.nodes.emplace(node(host), NodeSpec{node(host)});
      for (const char* port : {"1", "2"})
        network.cables.push_back(cable(
            {node(host), "cx", port},
            {node(port == std::string{"1"} ? "leaf1" : "leaf2"), "", host + std::string{port}}));
    }
    spec.networks.emplace("bonds", network);
  }
};

TEST_CASE("a plan says who hangs by one thing while a wave lasts, and not before", "[plans]") {
  TransitRing world;
  world.needs_reboot("b");
  const plans::Plan plan = world.plan();
  CHECK_FALSE(world.diagnostics.has_errors());
  const plans::Single& single = plan.impact.single;
  REQUIRE(single.now.size() == 1);
  CHECK(single.now.front().hosts == 0);
  CHECK(single.now.front().of == 4);
  REQUIRE(single.waves.size() == 1);
  CHECK(single.waves.front().wave == 1);
  CHECK(single.waves.front().away == std::vector{node("b")});
  CHECK(single.waves.front().hosts.size() == 2);
  CHECK_FALSE(single.waves.front().example.empty());
  REQUIRE(single.afterwards.size() == 1);
  CHECK(single.afterwards.front().hosts == 0);
  const Result<plans::Plan> read = plans::parse_plan_file(plans::to_plan_file(plan));
  REQUIRE(read);
  CHECK(plans::to_plan_file(*read) == plans::to_plan_file(plan));
}

TEST_CASE("a bond hangs by the other switch while one is away", "[plans]") {
  Bonds world;
  world.needs_reboot("leaf1");
  const plans::Plan plan = world.plan();
  REQUIRE(plan.impact.single.waves.size() == 1);
  CHECK(plan.impact.single.waves.front().hosts.size() == 2);
  CHECK(plan.impact.single.waves.front().example == "s1 by leaf2");
}

TEST_CASE("redundancy that is kept refuses such a wave, and no other", "[plans]") {
  TransitRing world;
  world.spec.rollout.redundancy.value = Redundancy::keep;
  world.needs_reboot("b");
  CHECK(world.plan().actions.empty());
  REQUIRE(world.diagnostics.has_errors());
  CHECK(world.diagnostics.items().front().rule == "redundancy-lost");

  // Whoever hangs already loses nothing by the wave.
  TransitRing line;
  line.spec.rollout.redundancy.value = Redundancy::keep;
  line.spec.networks.at("ring").cables.pop_back();
  line.needs_reboot("a");
  CHECK_FALSE(line.plan().actions.empty());
  CHECK_FALSE(line.diagnostics.has_errors());

  // A host of a bond is nothing that others hang by.
  Bonds host;
  host.spec.rollout.redundancy.value = Redundancy::keep;
  host.needs_reboot("s1");
  const plans::Plan plan = host.plan();
  CHECK_FALSE(plan.actions.empty());
  CHECK(plan.impact.single.now.empty());
}

}  // namespace
}  // namespace fabric::test
