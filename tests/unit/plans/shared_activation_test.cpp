// SPDX-License-Identifier: Apache-2.0
// What several resources of a node bring into force at once, as one revision of a switch does.
#include "tests/support/catch.hpp"
#include "tests/unit/plans/planned_world.hpp"

using namespace fabric;
using fabric::test::Lines;
using fabric::test::ResourceBuilder;
using fabric::test::World;

namespace {

// Its file says what is wanted already, and what runs does not.
ResourceBuilder put(World& world, const std::string& node, const std::string& name, bool shared) {
  auto& host = world.fleet.nodes.contains(test::node(node)) ? world.fleet.nodes.at(test::node(node))
                                                            : world.fleet.add(node);
  host.at("interface/" + name, "mtu", Layer::running) = "1500";
  host.at("interface/" + name, "mtu", Layer::persistent) = "9000";
  ResourceBuilder resource{node + "/interface/" + name};
  resource.wants("mtu", 9000);
  if (shared) resource.binding("shared", true);
  return resource;
}

Lines titles(const plans::Plan& plan) {
  Lines lines;
  for (const plans::Action& action : plan.actions)
    lines.push_back(action.node.str() + ": " + action.draft.title);
  return lines;
}

Lines commands(const WorkSteps& steps) {
  Lines lines;
  for (const remote::Argv& argv : steps.commands())
    lines.push_back(fmt::format("{}", fmt::join(argv, " ")));
  return lines;
}

}  // namespace

TEST_CASE("two resources of a node share its activation, and the way back", "[plans]") {
  World world;
  world.spec.rollout.confirm_timeout.value = Duration{60'000};
  world.resources = {put(world, "a", "x", true), put(world, "a", "y", true)};
  const plans::Plan plan = world.plan();
  REQUIRE(titles(plan) == Lines{"a: in one revision: activate interface/x; activate interface/y"});
  const plans::Action& action = plan.actions.front();
  CHECK(
      commands(action.draft.steps) ==
      Lines{"begin", "set interface/x", "set interface/y", "apply"});
  CHECK(
      commands(action.draft.undo) ==
      Lines{"begin", "unset interface/y", "unset interface/x", "apply"});
  CHECK(action.covers.size() == 2);
  CHECK(action.draft.postconditions.size() == 2);
  CHECK(action.guard == Duration{60'000});
  CHECK(plan.impact.link_flaps == 1);
  CHECK(plan.summary.change == 2);
}

TEST_CASE("what comes after another resource goes behind it in the same activation", "[plans]") {
  World world;
  world.resources = {put(world, "a", "x", true).after("a/interface/y"), put(world, "a", "y", true)};
  const plans::Plan plan = world.plan();
  REQUIRE(plan.actions.size() == 1);
  CHECK(
      commands(plan.actions.front().draft.steps) ==
      Lines{"begin", "set interface/y", "set interface/x", "apply"});
  CHECK(plan.actions.front().needs.empty());
}

TEST_CASE("what must come between two resources keeps their activations apart", "[plans]") {
  World world;
  world.resources = {
      put(world, "a", "x", true),
      put(world, "a", "y", false).after("a/interface/x"),
      put(world, "a", "z", true).after("a/interface/y"),
      put(world, "a", "zz", true)};
  CHECK(
      titles(world.plan()) == Lines{
                                  "a: in one revision: activate interface/x; activate interface/zz",
                                  "a: activate interface/y",
                                  "a: in one revision: activate interface/z"});
}

TEST_CASE("nodes don't share an activation, nor does one alone need another", "[plans]") {
  World world;
  world.resources = {
      put(world, "a", "x", true), put(world, "a", "y", false), put(world, "b", "x", true)};
  CHECK(
      titles(world.plan()) == Lines{
                                  "a: in one revision: activate interface/x",
                                  "a: activate interface/y",
                                  "b: in one revision: activate interface/x"});
}
