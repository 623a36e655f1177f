// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/plans/planned_world.hpp"

namespace fabric::test {
namespace {

// Hosts of a ring of chaining cards, as their plan leaves them.
reach::Fabric running_ring(const std::vector<std::string>& names) {
  reach::Fabric fabric;
  const Subnet subnet = Subnet::parse("10.30.0.0/16").value();
  for (std::size_t i = 0; i < names.size(); ++i) {
    reach::Host host{node(names[i]), {}, {}, {}, {{"cx5", true}}};
    for (std::size_t port = 0; port < 2; ++port) {
      const IpAddress address = IpAddress::parse(fmt::format("10.30.{}.{}", i, 1 + port)).value();
      host.ports.push_back(
          {{host.node, "cx5", std::to_string(port + 1)}, {{address, subnet}}, true, 1, 2, true});
      host.routes.push_back({subnet, port});
    }
    fabric.hosts.push_back(std::move(host));
    fabric.cables.emplace_back(
        PortRef{node(names[i]), "cx5", "1"},
        PortRef{node(names[(i + 1) % names.size()]), "cx5", "2"});
  }
  return fabric;
}

struct RunningRing : World {
  explicit RunningRing(PathsLost policy) {
    const std::vector<std::string> names{"a", "b", "c", "d"};
    ring(names);
    for (const std::string& name : names)
      needs_reboot(name);
    spec.rollout.paths_lost.value = policy;
    paths = {{"storage", running_ring(names), {}}};
  }
};

TEST_CASE("a plan says what each wave takes from the others", "[plans]") {
  RunningRing world{PathsLost::report};
  const plans::Plan plan = world.plan();
  CHECK_FALSE(world.diagnostics.has_errors());
  REQUIRE(plan.waves.size() == 4);
  REQUIRE(plan.impact.paths_lost.size() == 4);
  for (const plans::PathsLostInWave& lost : plan.impact.paths_lost) {
    CHECK(lost.network == "storage");
    CHECK(lost.away == plan.waves[lost.wave - 1].nodes);
    CHECK(lost.working == 12);  // four pairs of addresses of each of three pairs of hosts
    CHECK(lost.lost == 10);
    CHECK(lost.apart.size() == 1);
    CHECK(lost.host_pairs == 3);
    CHECK_FALSE(lost.example.empty());
  }
  CHECK_FALSE(plan.impact.asks_for_paths);
  const Result<plans::Plan> read = plans::parse_plan_file(plans::to_plan_file(plan));
  REQUIRE(read);
  CHECK(plans::to_plan_file(*read) == plans::to_plan_file(plan));
}

TEST_CASE("pairs of a ring that nobody waits for are unknown, and asked about", "[plans]") {
  std::vector<std::string> names;
  for (int number = 0; number < 130; ++number)
    names.push_back(fmt::format("n{:03}", number));
  const plans::PathsNow now{{"storage", running_ring(names), {}}};
  // One away is looked at; each one in its turn would be too many pairs.
  const std::vector<plans::PathsLostInWave> one = plans::paths_lost(now, {{1, {node("n007")}}});
  REQUIRE(one.size() == 1);
  CHECK_FALSE(one.front().is_unjudged());
  CHECK(one.front().working == 4 * 129 * 128 / 2);
  plans::AwayByWave waves;
  for (std::uint32_t number = 0; number < 130; ++number)
    waves[number + 1].insert(node(names[number]));
  const std::vector<plans::PathsLostInWave> all = plans::paths_lost(now, waves);
  REQUIRE(all.size() == 130);
  for (const plans::PathsLostInWave& wave : all) {
    CHECK(wave.is_unjudged());
    CHECK(wave.lost == 0);
    CHECK(wave.unknown == 4 * 130 * 129 / 2);
  }
  CHECK(
      plans::held_by_paths(now, node("n007")) ==
      "network storage has 33540 pairs of addresses, too many to compute which of them are lost "
      "without it, and rollout.paths_lost is `refuse`");
}

TEST_CASE("a plan that can't tell which paths a wave takes asks as if it took them", "[plans]") {
  RunningRing world{PathsLost::ask};
  // So many addresses on each port that their pairs are too many.
  for (reach::Host& host : world.paths.front().fabric.hosts) {
    for (reach::Port& port : host.ports)
      port.addresses.resize(400, port.addresses.front());
  }
  const plans::Plan plan = world.plan();
  CHECK(plan.impact.reboots == 4);
  REQUIRE(plan.impact.paths_lost.size() == 4);
  CHECK(plan.impact.paths_lost.front().is_unjudged());
  CHECK(plan.impact.asks_for_paths);
}

TEST_CASE("a plan that cuts hosts off asks where the document wants that", "[plans]") {
  RunningRing asking{PathsLost::ask};
  const plans::Plan plan = asking.plan();
  CHECK(plan.impact.asks_for_paths);
  CHECK(plan.impact.reboots == 4);
  RunningRing reporting{PathsLost::report};
  // It is part of what is agreed to.
  CHECK(plan.digest != reporting.plan().digest);
}

TEST_CASE("a node whose reboot cuts others off is left alone where that is refused", "[plans]") {
  RunningRing world{PathsLost::refuse};
  const plans::Plan plan = world.plan();
  CHECK(plan.impact.reboots == 0);
  CHECK(plan.withheld_nodes().size() == 4);
  REQUIRE_FALSE(world.diagnostics.items().empty());
  CHECK(world.diagnostics.items().front().rule == "rollout-withheld");
  CHECK(
      plan.nodes.at(node("d")).withheld.why ==
      "without it a and b have no path left in network storage, and rollout.paths_lost is "
      "`refuse`");
}

TEST_CASE("who has no path now loses none", "[plans]") {
  RunningRing world{PathsLost::refuse};
  for (reach::Host& host : world.paths.front().fabric.hosts)
    host.chaining["cx5"] = false;
  world.paths.front().away.dark = {{node("a"), "cx5", "1"}};
  for (reach::Host& host : world.paths.front().fabric.hosts) {
    for (reach::Port& port : host.ports)
      port.up = false;
  }
  const plans::Plan plan = world.plan();
  CHECK(plan.impact.reboots == 4);
  CHECK(plan.impact.paths_lost.empty());
}

TEST_CASE("two nodes that are away together are an error where each alone would do", "[plans]") {
  RunningRing world{PathsLost::refuse};
  // With a table and a rule of its own each address keeps the way round that is left.
  for (reach::Host& host : world.paths.front().fabric.hosts) {
    for (std::size_t port = 0; port < 2; ++port) {
      const auto table = static_cast<std::uint32_t>(4101 + port);
      host.routes.push_back({host.ports[port].addresses.front().subnet, port, table});
      host.rules.push_back({host.ports[port].addresses.front().address, table});
    }
  }
  const plans::Plan alone = world.plan();
  CHECK(alone.impact.reboots == 4);
  CHECK(alone.withheld_nodes().empty());
  REQUIRE(alone.impact.paths_lost.size() == 4);
  CHECK(alone.impact.paths_lost.front().apart.empty());
  CHECK(alone.impact.paths_lost.front().lost == 9);
  world.spec.rollout.max_unavailable.value = 2;
  const plans::Plan together = world.plan();
  CHECK(world.diagnostics.has_errors());
  CHECK(world.diagnostics.items().back().rule == "paths-lost");
  CHECK(together.actions.empty());
}

}  // namespace
}  // namespace fabric::test
