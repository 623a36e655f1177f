// SPDX-License-Identifier: Apache-2.0
#include "engine/execute/crash_recovery.hpp"
#include "providers/linux/machine/linux_platform.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/fake_provider.hpp"

using namespace fabric;
using namespace fabric::execute;
using fabric::test::FakeFleet;
using fabric::test::FakeLock;
using fabric::test::node;

namespace {

constexpr Duration kHour{3'600'000};

struct World {
  FakeFleet fleet;
  Random random{1};
  platform::NodePlatforms nodes;

  World() {
    for (const char* name : {"a", "b", "c"}) {
      fleet.add(name);
      nodes.emplace(node(name), &platform::linux_platform());
    }
  }

  void lock(const std::string& name, const std::string& run) {
    fleet.nodes.at(node(name)).lock =
        FakeLock{run, "anna@ops2", "here", "12.3", Duration{0}, kHour};
  }
  bool locked(const std::string& name) const { return fleet.nodes.at(node(name)).lock.has_value(); }
  void take_down(const std::string& name) {
    fleet.nodes.at(node(name)).up_at = fleet.clock().now() + kHour;
  }

  // Runs named "dead..." have ended.
  Result<Settled> settle() {
    const LeaseTerms terms{
        {"run-1", "root@ops1", "here", "4711.1"}, Duration{300'000}, [](const LeaseHolder& holder) {
          return holder.run.starts_with("dead");
        }};
    return settle_idle(nodes, terms, fleet, random);
  }
};

}  // namespace

TEST_CASE("the lock of a dead run is given up on a node with nothing to do", "[execute]") {
  World world;
  world.lock("a", "dead-7");
  world.lock("b", "living-8");
  const Result<Settled> settled = world.settle();
  REQUIRE(settled);
  CHECK(settled->unlocked == std::vector<NodeName>{node("a")});
  CHECK(settled->still_locked.empty());
  CHECK_FALSE(world.locked("a"));
  CHECK(world.fleet.nodes.at(node("b")).lock->run == "living-8");
}

TEST_CASE("an idle node that does not answer is told of, and the others are settled", "[execute]") {
  World world;
  world.lock("a", "dead-7");
  world.take_down("c");
  const Result<Settled> settled = world.settle();
  REQUIRE(settled);
  CHECK_FALSE(world.locked("a"));
  REQUIRE(settled->not_asked.size() == 1);
  CHECK(settled->not_asked.begin()->first == node("c"));
}

TEST_CASE("nothing begins where a node does not say whether a timer is armed there", "[execute]") {
  World world;
  world.take_down("b");
  Leases leases{
      {{"run-1", "root@ops1", "here", "4711.1"}, Duration{300'000}, {}},
      world.nodes,
      world.fleet,
      world.random};
  const auto settled = settle_locked(world.nodes, leases, world.random);
  REQUIRE_FALSE(settled);
  CHECK(settled.error().message.starts_with("b: "));
}
