// SPDX-License-Identifier: Apache-2.0
#include "engine/execute/action/conditions.hpp"

#include "engine/base/text.hpp"
#include "engine/model/resource_kinds.hpp"
#include "engine/value/json.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/fake_provider.hpp"

using namespace fabric;
using namespace fabric::execute;
using fabric::test::address;
using fabric::test::FakeFleet;
using fabric::test::node;
using fabric::test::ResourceBuilder;

namespace {

Condition persistent(const std::string& attribute, Value value) {
  return {address("a/interface/p1"), attribute, Layer::persistent, std::move(value)};
}

// An interface whose file is planned to get an MTU and VLANs, and what its file says now.
struct World {
  FakeFleet fleet;
  Registry registry = test::fake_registry();
  std::vector<Resource> resources{
      ResourceBuilder{"a/interface/p1"}.wants("mtu", 9000).wants("vlans", 2)};
  ActionDraft draft;

  World() {
    fleet.add("a");
    draft.preconditions = {persistent("mtu", Value{}), persistent("vlans", Value{})};
    draft.postconditions = {persistent("mtu", 9000), persistent("vlans", 2)};
  }
  void says(const std::string& attribute, const std::string& value) {
    fleet.nodes.begin()->second.at("interface/p1", attribute, Layer::persistent) = value;
  }
  std::vector<std::string> stale() {
    const ConditionJudge judge{resources, registry};
    std::vector<std::string> texts;
    for (const Mismatch& mismatch : judge.stale(draft, fleet.facts(node("a"))))
      texts.push_back(mismatch.text());
    return texts;
  }
};

}  // namespace

TEST_CASE("what nobody touched is not stale", "[execute]") {
  World world;
  CHECK(world.stale().empty());
}

TEST_CASE("what is half as it is wanted goes on", "[execute]") {
  World world;
  world.says("mtu", "9000");
  CHECK(world.stale().empty());
}

TEST_CASE("what somebody else wrote is stale, whatever else is as wanted", "[execute]") {
  World world;
  world.says("mtu", "9000");
  world.says("vlans", "7");
  CHECK(
      world.stale() ==
      std::vector<std::string>{"a/interface/p1 vlans (persistent): expected absent, found 7"});
}

TEST_CASE("what can't be read any more is stale", "[execute]") {
  World world;
  world.says("mtu", "?");
  CHECK(
      world.stale() ==
      std::vector<std::string>{
          "a/interface/p1 mtu (persistent): expected absent, found unknown (not readable)"});
}

TEST_CASE("what a kind takes for nothing is absent, but for what a file says", "[execute]") {
  for (const ResourceKind& row : resource_kinds()) {
    if (row.of_switch) continue;
    for (const std::string_view word : split_words(row.nothing)) {
      INFO(row.kind << " " << word);
      const std::size_t at = word.find('=');
      REQUIRE(at != std::string_view::npos);
      CHECK(key_names(row.attributes).contains(word.substr(0, at)));
      const Result<Value> value = parse_json(word.substr(at + 1));
      REQUIRE(value);
      Condition wanted{
          {node("a"), row.kind, "x"}, std::string{word.substr(0, at)}, Layer::running, {}};
      for (const Layer layer : {Layer::running, Layer::next_boot, Layer::persistent}) {
        wanted.layer = layer;
        const bool of_file = layer == Layer::persistent;
        CHECK(holds(wanted, Reading::of(*value), Platform::linux) == !of_file);
        CHECK(holds(wanted, Reading::absent(), Platform::linux));
        CHECK(!holds(wanted, Reading::of("other"), Platform::linux));
        CHECK(!holds(wanted, Reading::unknown("why"), Platform::linux));
      }
      wanted.equals = *value;
      CHECK(holds(wanted, Reading::of(*value), Platform::linux));
      CHECK(!holds(wanted, Reading::absent(), Platform::linux));
    }
  }
}
