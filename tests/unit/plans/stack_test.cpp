// SPDX-License-Identifier: Apache-2.0
// Resources that lie on each other: a port, a bond on it, a VLAN on that.
#include <fmt/format.h>

#include "plans/planner.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/fake_provider.hpp"

using namespace fabric;
using fabric::test::address;
using fabric::test::fake_provider;
using fabric::test::FakeFleet;
using fabric::test::node;
using fabric::test::ResourceBuilder;

namespace {

using Lines = std::vector<std::string>;

constexpr const char* kPort = "a/interface/cx5.1";
constexpr const char* kBond = "a/bond/bond0";
constexpr const char* kVlan = "a/vlan/guests";

// One node with a port, a bond on it and a VLAN on the bond, each with its MTU now and wanted.
struct Stack {
  FakeFleet fleet;
  std::vector<Resource> resources;
  Diagnostics diagnostics;

  Stack() { fleet.add("a"); }

  Resource& put(const char* text, const std::string& now, std::int64_t wanted) {
    const ResourceAddress where = address(text);
    const std::string name = where.kind + "/" + where.name;
    auto& host = fleet.nodes.at(node("a"));
    host.at(name, "mtu", Layer::running) = now;
    host.at(name, "mtu", Layer::persistent) = now;
    resources.push_back(ResourceBuilder{text}.wants("mtu", wanted));
    return resources.back();
  }

  void put_all(const std::string& now, std::int64_t wanted) {
    put(kPort, now, wanted);
    put(kBond, now, wanted).beneath.push_back(address(kPort));
    put(kVlan, now, wanted).beneath.push_back(address(kBond));
  }

  plans::Plan plan() {
    Registry registry;
    registry.add(platform::linux_platform());
    for (const char* kind : {"bond", "interface", "vlan"})
      registry.add(Platform::linux, fake_provider(kind, Disruption::link));
    registry.add(Platform::linux, fake_provider("settings", Disruption::reboot));
    FabricSpec spec;
    spec.rollout.max_unavailable.value = 1;
    const auto snapshot =
        discovery::observe(resources, {fleet.facts(node("a"))}, registry, diagnostics);
    return plans::make_plan({spec, {}, resources, snapshot, registry, {}}, diagnostics);
  }
};

// "write interface/cx5.1"
Lines order(const plans::Plan& plan) {
  Lines lines;
  for (const plans::Action& action : plan.actions)
    lines.push_back(action.draft.title);
  return lines;
}

const plans::Action& action(const plans::Plan& plan, const std::string& title) {
  for (const plans::Action& each : plan.actions) {
    if (each.draft.title == title) return each;
  }
  FAIL("no action " << title);
  return plan.actions.front();
}

bool needs(const plans::Plan& plan, const std::string& later, const std::string& earlier) {
  const Lines& needed = action(plan, later).needs;
  return std::find(needed.begin(), needed.end(), action(plan, earlier).id) != needed.end();
}

}  // namespace

TEST_CASE("all files of a stack are written first; a raised MTU goes from the port up", "[plans]") {
  Stack stack;
  stack.put_all("1500", 9000);
  const plans::Plan plan = stack.plan();
  REQUIRE(stack.diagnostics.empty());
  CHECK(
      order(plan) == Lines{
                         "write interface/cx5.1",
                         "write bond/bond0",
                         "activate interface/cx5.1",
                         "write vlan/guests",
                         "activate bond/bond0",
                         "activate vlan/guests"});
  CHECK(needs(plan, "activate interface/cx5.1", "write bond/bond0"));
  CHECK(needs(plan, "activate bond/bond0", "write vlan/guests"));
  CHECK(needs(plan, "activate bond/bond0", "activate interface/cx5.1"));
  CHECK(needs(plan, "activate vlan/guests", "activate bond/bond0"));
}

TEST_CASE("a lowered MTU goes from the top down", "[plans]") {
  Stack stack;
  stack.put_all("9000", 1500);
  const plans::Plan plan = stack.plan();
  REQUIRE(stack.diagnostics.empty());
  CHECK(
      order(plan) == Lines{
                         "write interface/cx5.1",
                         "write bond/bond0",
                         "write vlan/guests",
                         "activate vlan/guests",
                         "activate bond/bond0",
                         "activate interface/cx5.1"});
  CHECK(needs(plan, "activate interface/cx5.1", "activate bond/bond0"));
  CHECK(needs(plan, "activate bond/bond0", "activate vlan/guests"));
  CHECK_FALSE(needs(plan, "activate bond/bond0", "activate interface/cx5.1"));
}

TEST_CASE("one raised and one lowered make no cycle, whichever they are", "[plans]") {
  for (const auto& [port, bond, vlan] :
       {std::tuple{"1500", "9000", "1500"},
        std::tuple{"9000", "1500", "9000"},
        std::tuple{"9000", "9000", "1500"},
        std::tuple{"1500", "9000", "9000"},
        std::tuple{"1500", "1500", "9000"}}) {
    CAPTURE(port, bond, vlan);
    Stack stack;
    stack.put(kPort, port, 4000);
    stack.put(kBond, bond, 4000).beneath.push_back(address(kPort));
    stack.put(kVlan, vlan, 4000).beneath.push_back(address(kBond));
    const plans::Plan plan = stack.plan();
    CHECK(stack.diagnostics.empty());
    REQUIRE(plan.actions.size() == 6);
    const bool both = std::string_view{port} == "9000" && std::string_view{bond} == "9000";
    CHECK(needs(plan, "activate interface/cx5.1", "activate bond/bond0") == both);
    CHECK(needs(plan, "activate bond/bond0", "activate interface/cx5.1") != both);
  }
}

TEST_CASE("what lies on a port that is right already has its own order alone", "[plans]") {
  Stack stack;
  stack.put(kPort, "9000", 9000);
  stack.put(kBond, "1500", 9000).beneath.push_back(address(kPort));
  CHECK(order(stack.plan()) == Lines{"write bond/bond0", "activate bond/bond0"});
}

TEST_CASE("a VLAN waits for the port through a bond that needs nothing", "[plans]") {
  Stack stack;
  stack.put(kPort, "1500", 9000);
  stack.put(kBond, "9000", 9000).beneath.push_back(address(kPort));
  stack.put(kVlan, "1500", 9000).beneath.push_back(address(kBond));
  const plans::Plan plan = stack.plan();
  CHECK(needs(plan, "write vlan/guests", "activate interface/cx5.1"));
}

TEST_CASE(
    "a slave is left alone if its bond, or another slave of it, can't be planned", "[plans]") {
  Stack stack;
  stack.put(kPort, "1500", 9000).part_of = address(kBond);
  const char* other = "a/interface/cx5.2";
  Resource& second = stack.put(other, "?", 9000);
  second.part_of = address(kBond);
  Resource& bond = stack.put(kBond, "1500", 9000);
  bond.beneath = {address(kPort), address(other)};
  const plans::Plan plan = stack.plan();
  CHECK(plan.actions.empty());
  REQUIRE(plan.changes.size() == 3);
  CHECK(withheld_text(*plan.changes[0].withheld) == "waits for a/interface/cx5.2");
  CHECK(withheld_text(*plan.changes[1].withheld) == "waits for a/bond/bond0");
  CHECK(withheld_text(*plan.changes[2].withheld) == "mtu is unknown (not readable)");
}

TEST_CASE("what a slave leaves to its bond is covered by the bond's activation", "[plans]") {
  Stack stack;
  Resource& slave = stack.put(kPort, "1500", 9000);
  slave.part_of = address(kBond);
  slave.binding.emplace("left_to_whole", true);
  stack.put(kBond, "1500", 9000).beneath = {address(kPort)};
  const plans::Plan plan = stack.plan();
  CHECK(order(plan) == Lines{"write bond/bond0", "activate bond/bond0"});
  CHECK(
      action(plan, "activate bond/bond0").covers ==
      std::vector<ResourceAddress>{address(kBond), address(kPort)});
}

TEST_CASE("a check without a change is no part of the plan", "[plans]") {
  Stack stack;
  stack.put(kPort, "1500", 9000);
  Resource link = ResourceBuilder{"a/link/cx5.1-b.cx5.2"}.wants("speed", 100).after(kPort);
  link.check_only = true;
  stack.resources.push_back(link);
  const plans::Plan plan = stack.plan();
  CHECK(stack.diagnostics.empty());
  CHECK(plan.changes.size() == 1);
  CHECK(plan.complete());
}

TEST_CASE("what no provider does is refused in the plan, and nothing is done in part", "[plans]") {
  Stack stack;
  stack.put(kPort, "1500", 9000);
  Resource master = ResourceBuilder{"a/interface/cx5.2"}.wants("mtu", 9000);
  master.features.push_back({"bond", "mode lag", {FileId{}, 3, 4}});
  stack.resources.push_back(master);
  const plans::Plan plan = stack.plan();
  CHECK(plan.actions.empty());
  REQUIRE(stack.diagnostics.items().size() == 1);
  CHECK(
      stack.diagnostics.items()[0].message ==
      "a is a Linux host, where fabric does not support mode lag");
}

TEST_CASE("an observed resource that no provider can tell of is unknown, by name", "[plans]") {
  Stack stack;
  Resource bond = ResourceBuilder{"a/interface/cx5.2"}.wants("mtu", 9000).binding("observe", true);
  bond.features.push_back({"infiniband", "`ipoib`", {}});
  stack.resources.push_back(bond);
  const plans::Plan plan = stack.plan();
  CHECK(stack.diagnostics.empty());
  REQUIRE(plan.changes.size() == 1);
  CHECK(plan.changes[0].kind == ChangeKind::unknown);
  REQUIRE(plan.changes[0].attribute.observed.running);
  CHECK(
      plan.changes[0].attribute.observed.running->why() == "`ipoib` is not done on this platform");
}
