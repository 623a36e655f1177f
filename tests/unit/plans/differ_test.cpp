// SPDX-License-Identifier: Apache-2.0
#include "plans/changes/candidate.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/fake_provider.hpp"

using namespace fabric;
using fabric::test::address;
using fabric::test::FakeFleet;
using fabric::test::ResourceBuilder;

namespace {

// One node "a" with one resource whose attribute X has the given layers; "" = the layer is absent.
std::vector<Change> diff_of(
    const std::string& resource, const std::string& running, const std::string& later) {
  FakeFleet fleet;
  auto& host = fleet.add("a");
  const ResourceAddress place = address("a/" + resource);
  const Layer layer = place.kind == "settings" ? Layer::next_boot : Layer::persistent;
  if (!running.empty()) host.at(resource, "X", Layer::running) = running;
  if (!later.empty()) host.at(resource, "X", layer) = later;
  const std::vector<Resource> resources{ResourceBuilder{"a/" + resource}.wants("X", 2)};
  const Registry registry = test::fake_registry();
  Diagnostics diagnostics;
  const auto snapshot =
      discovery::observe(resources, {fleet.facts(place.node)}, registry, diagnostics);
  return plans::diff(resources, snapshot, registry);
}

}  // namespace

TEST_CASE("what is right in every layer is no change", "[plans]") {
  CHECK(diff_of("settings/cx5", "2", "2").empty());
  CHECK(diff_of("interface/cx5.1", "2", "2").empty());
}

TEST_CASE("a setting is written, activated, both or neither, by its two layers", "[plans]") {
  struct Case {
    std::string running, next;
    bool write, activate;
    Disruption disruption;
  };
  const auto [running, next, write, activate, disruption] = GENERATE(
      Case{"1", "1", true, true, Disruption::reboot},
      Case{"1", "2", false, true, Disruption::reboot},
      Case{"2", "1", true, false, Disruption::none},
      Case{"?", "2", false, true, Disruption::reboot},
      Case{"?", "1", true, true, Disruption::reboot});
  const std::vector<Change> changes = diff_of("settings/cx5", running, next);
  REQUIRE(changes.size() == 1);
  REQUIRE(changes[0].attributes.size() == 1);
  const AttributeChange& attribute = changes[0].attributes[0];
  CHECK(changes[0].kind == ChangeKind::update);
  CHECK(attribute.write == write);
  CHECK(attribute.activate == activate);
  CHECK(attribute.disruption == disruption);
  CHECK(attribute.reason == "because");
}

TEST_CASE(
    "unknown where only the unknown layer could tell is a change that is never planned",
    "[plans]") {
  CHECK(diff_of("settings/cx5", "1", "?").at(0).kind == ChangeKind::unknown);
  CHECK(diff_of("interface/cx5.1", "?", "2").at(0).kind == ChangeKind::unknown);
  CHECK(diff_of("interface/cx5.1", "2", "?").at(0).kind == ChangeKind::unknown);
}

TEST_CASE("a resource of which nothing is there is added", "[plans]") {
  CHECK(diff_of("interface/cx5.1", "", "").at(0).kind == ChangeKind::add);
  CHECK(diff_of("interface/cx5.1", "1", "").at(0).kind == ChangeKind::update);
}

TEST_CASE("everything of a node that was not reached is unknown, with the reason", "[plans]") {
  const std::vector<Resource> resources{
      ResourceBuilder{"a/settings/cx5"}.wants("X", 2).wants("Y", 1)};
  const Registry registry = test::fake_registry();
  NodeFacts facts{test::node("a"), Error{ErrorCode::unreachable, "connection refused"}, {}, {}, {}};
  Diagnostics diagnostics;
  const auto snapshot = discovery::observe(resources, {facts}, registry, diagnostics);
  const std::vector<Change> changes = plans::diff(resources, snapshot, registry);
  REQUIRE(changes.size() == 1);
  CHECK(changes[0].kind == ChangeKind::unknown);
  REQUIRE(changes[0].attributes.size() == 2);
  CHECK(changes[0].attributes[1].observed.running->why() == "connection refused");
}
