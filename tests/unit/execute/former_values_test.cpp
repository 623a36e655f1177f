// SPDX-License-Identifier: Apache-2.0
// What ran before an action, which must run again when it was rolled back.
#include <optional>
#include <utility>
#include <vector>

#include "engine/execute/action/conditions.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/fake_fleet.hpp"

using namespace fabric;
using namespace fabric::execute;
using fabric::test::node;

TEST_CASE("what ran before an action is what the plan found", "[execute]") {
  const ResourceAddress p1 = test::address("a/interface/p1");
  plans::Plan plan;
  const auto changes = [&](const char* attribute, std::optional<Reading> running) {
    plans::PlannedChange change{.address = p1};
    change.attribute.attribute = attribute;
    change.attribute.observed.running = std::move(running);
    plan.changes.push_back(std::move(change));
  };
  changes("mtu", Reading::of(1500));
  changes("master", Reading::absent());
  changes("mode", Reading::unknown("?"));
  plans::Action action{.id = "a0001", .node = node("a")};
  for (const char* attribute : {"mtu", "master", "mode", "addresses"})
    action.draft.postconditions.push_back({p1, attribute, Layer::running, 7});
  action.draft.postconditions.push_back({p1, "mtu", Layer::persistent, 7});
  CHECK(
      former_values(plan, action) == std::vector<Condition>{
                                         {p1, "mtu", Layer::running, 1500},
                                         {p1, "master", Layer::running, {}},
                                         {p1, "addresses", Layer::running, 7}});
  SECTION("also of what is removed, whatever its read-back can say") {
    action.draft.postconditions.clear();
    action.draft.stage = Stage::activate;
    action.covers = {p1};
    CHECK(former_values(plan, action).empty());
    for (plans::PlannedChange& change : plan.changes)
      change.kind = ChangeKind::remove;
    CHECK(former_values(plan, action) == std::vector<Condition>{{p1, "mtu", Layer::running, 1500}});
  }
  action.draft.kind = "reboot";
  CHECK(former_values(plan, action).empty());
}

TEST_CASE("what the files said before an action is what the plan found in them", "[execute]") {
  const ResourceAddress p1 = test::address("a/interface/p1");
  plans::Plan plan;
  const auto changes = [&](const ResourceAddress& address, std::optional<Reading> persistent) {
    plans::PlannedChange change{.address = address};
    change.attribute.attribute = "mtu";
    change.attribute.observed.persistent = std::move(persistent);
    plan.changes.push_back(std::move(change));
  };
  changes(p1, Reading::of(1500));
  changes(p1, Reading::absent());
  changes(p1, Reading::unknown("?"));
  changes(p1, std::nullopt);
  changes(test::address("a/interface/p2"), Reading::of(9000));
  plans::Action action{.id = "a0001", .node = node("a")};
  action.covers = {p1};
  CHECK(former_files(plan, action).empty());
  action.draft.undo.remove("/etc/new");
  CHECK(
      former_files(plan, action) ==
      std::vector<Condition>{
          {p1, "mtu", Layer::persistent, 1500}, {p1, "mtu", Layer::persistent, {}}});
}
