// SPDX-License-Identifier: Apache-2.0
#include "engine/provider/action_methods.hpp"
#include "engine/provider/disruption_hooks.hpp"
#include "providers/linux/kinds/rows.hpp"

#include "tests/unit/providers/fixture.hpp"

namespace fabric::providers {
namespace {

constexpr const char* kRecord = "/var/lib/fabric/drained";

using namespace test;

const Provider kProvider = drain_provider();

Resource wanted(Map hooks = {{"after", List{"undrain"}}}) {
  return resource("pve1/drain/hooks", std::move(hooks), {{"drained", false}});
}

std::string drained(const std::string& output) {
  return layers(observe_one(kProvider, wanted(), node_facts({{"drained", output}})), "drained");
}

TEST_CASE("the record on the node says whether it is drained", "[providers]") {
  CHECK(drained("drained\n") == "true | - | -");
  CHECK(drained("not drained\n") == "false | - | -");
  const std::string unknown =
      "unknown (it could not be checked whether /var/lib/fabric/drained exists) | - | -";
  CHECK(drained("") == unknown);
  CHECK(layers(observe_one(kProvider, wanted(), node_facts({})), "drained") == unknown);
}

TEST_CASE(
    "a node that is left drained is owed the document's command, never the record's",
    "[providers]") {
  const NodeFacts facts = node_facts({{"drained", "drained\n"}});
  const auto work_for = [&](const Resource& resource) {
    const Observation seen = observe_one(kProvider, resource, facts);
    return kProvider.work(change_of(kProvider, facts, resource, seen), {facts, seen, false});
  };
  const auto owed = work_for(wanted());
  REQUIRE(owed);
  REQUIRE(owed->actions.size() == 1);
  CHECK(owed->actions[0].kind == methods::kHookAfter);
  CHECK(owed->actions[0].steps.command_here() == remote::Argv{"undrain", "pve1"});
  CHECK(owed->actions[0].steps.removes() == std::vector<std::string>{kRecord});
  const auto forgotten = work_for(wanted({{"before", List{"drain"}}}));
  REQUIRE(forgotten);
  CHECK(forgotten->actions[0].kind == "hook.forget");
  CHECK(forgotten->actions[0].steps.command_here().empty());
}

TEST_CASE("what is done before owes what is done after, and no more", "[providers]") {
  CHECK_FALSE(before_disruption(wanted({}), DrainRecord{kRecord, {}, {}}));
  CHECK_FALSE(after_disruption(wanted({{"before", List{"drain"}}}), DrainRecord{kRecord, {}, {}}));
  const auto only_before =
      before_disruption(wanted({{"before", List{"drain"}}}), DrainRecord{kRecord, {}, {}});
  REQUIRE(only_before);
  CHECK(only_before->steps.writes().empty());
  CHECK(only_before->postconditions.empty());
  const auto only_after = before_disruption(wanted(), DrainRecord{kRecord, {}, {}});
  REQUIRE(only_after);
  CHECK(only_after->steps.command_here().empty());
  REQUIRE(only_after->steps.writes().size() == 1);
  CHECK(only_after->steps.writes()[0].path == kRecord);
}

}  // namespace
}  // namespace fabric::providers
