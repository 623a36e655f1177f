// SPDX-License-Identifier: Apache-2.0
// The one mode by which a switch is lossless, on Cumulus Linux and on Onyx.
#include "providers/mlnx_os/kinds/rows.hpp"
#include "providers/mlnx_os/kinds/switch_facts.hpp"
#include "providers/nvue/kinds/rows.hpp"
#include "providers/nvue/kinds/switch_facts.hpp"

#include "tests/unit/providers/fixture.hpp"

namespace fabric::providers {
namespace {

using namespace test;

Resource wanted(List pfc = {3}) {
  return resource(
      "pve1/qos/roce",
      {{"network", "data"}},
      {{"mode", "lossless"}, {"trust", "dscp"}, {"pfc", std::move(pfc)}, {"ecn", true}});
}

std::string tree(const std::string& qos) {
  return "[{\"header\": {}}, {\"set\": {" + qos + "}}]";
}

NodeFacts cumulus(
    const std::string& shown, const std::string& applied, const std::string& startup) {
  NodeFacts facts = node_facts(
      {{nvue::kInterfaceProbe, "{}"},
       {nvue::kRoceProbe, shown},
       {nvue::kAppliedProbe, tree(applied)},
       {nvue::kStartupProbe, tree(startup)}});
  facts.platform = Platform::cumulus;
  return facts;
}

NodeFacts onyx_switch(const std::string& shown, const std::string& lines) {
  const auto configuration = [&lines](const std::string& kind) {
    return "##\n## " + kind + " database \"initial\"\n##\n   interface ethernet 1/1 shutdown\n" +
           lines;
  };
  NodeFacts facts = node_facts(
      {{onyx::kEthernetProbe, "Eth1/1:\n  Admin state : Enabled\n"},
       {onyx::kRoceProbe, shown},
       {onyx::kRunningProbe, configuration("Running")},
       {onyx::kSavedProbe, configuration("Active saved")}});
  facts.platform = Platform::mlnx_os;
  return facts;
}

constexpr const char* kLossless = R"({"enable": "on", "mode": "lossless",
  "congestion-control": {"congestion-mode": "ECN"}, "pfc": {"pfc-priority": "3"},
  "trust": {"trust-mode": "pcp,dscp"}})";
constexpr const char* kSet = R"("qos": {"roce": {"mode": "lossless"}})";
constexpr const char* kShown =
    "RoCE mode : lossless\nPort trust mode: L3\nMode: ecn, absolute\nPFC : enabled\n"
    "switch-priority 3: enabled\n";

Result<Work> work(const Provider& provider, const Resource& resource, const NodeFacts& facts) {
  const Observation observation = observe_one(provider, resource, facts);
  return provider.work(
      change_of(provider, facts, resource, observation), WorkContext{facts, observation, false});
}

TEST_CASE("a Cumulus switch is lossless by one mode, which also brings it back", "[providers]") {
  const Provider provider = nvue::qos_provider();
  const NodeFacts off = cumulus("{}", "", "");
  CHECK(layers(observe_one(provider, wanted(), off), "mode") == "absent | - | absent");
  const auto first = work(provider, wanted(), off);
  REQUIRE(first);
  CHECK(
      commands_of(first->actions.at(0)).find("nv set qos roce mode lossless") != std::string::npos);
  // The plain command would leave a lossy switch lossy (E-qos-switch).
  const std::string lossy = R"("qos": {"roce": {"mode": "lossy"}})";
  const NodeFacts other =
      cumulus(R"({"mode": "lossy", "pfc": {"pfc-priority": "-"}})", lossy, lossy);
  CHECK(layers(observe_one(provider, wanted(), other), "pfc") == "[] | - | -");
  const auto again = work(provider, wanted(), other);
  REQUIRE(again);
  CHECK(again->actions.at(0).undo.commands().size() == 3);
  const Observation right = observe_one(provider, wanted(), cumulus(kLossless, kSet, kSet));
  CHECK(layers(right, "mode") == "lossless | - | lossless");
  CHECK(layers(right, "trust") == "dscp | - | -");
  CHECK(layers(right, "ecn") == "true | - | -");
}

TEST_CASE("an Onyx switch is lossless by one line, and its old mode comes back", "[providers]") {
  const Provider provider = onyx::qos_provider();
  const auto first = work(provider, wanted(), onyx_switch("RoCE mode : N/A\n", ""));
  REQUIRE(first);
  const auto again = work(
      provider,
      wanted(),
      onyx_switch("RoCE mode : lossy\nPort trust mode: L3\n", "   roce lossy\n"));
  REQUIRE(again);
  CHECK(commands_of(again->actions.at(0)).find("roce lossless") != std::string::npos);
  CHECK(again->actions.at(0).undo.lines().size() == first->actions.at(0).undo.lines().size());
  const Observation right =
      observe_one(provider, wanted(), onyx_switch(kShown, "   roce lossless\n"));
  for (const char* attribute : {"mode", "trust", "pfc", "ecn"})
    CHECK(right.attributes.at(attribute).running->equals(wanted().desired.at(attribute).value));
  CHECK(layers(right, "mode") == "lossless | - | lossless");
  const Observation other = observe_one(
      provider,
      wanted(),
      onyx_switch("RoCE mode : lossless\nPort trust mode: L2\n", "   roce lossless\n"));
  CHECK(layers(other, "trust") == "pcp | - | -");
  CHECK(layers(other, "ecn") == "false | - | -");
  // A release that does not know it.
  NodeFacts old = onyx_switch("", "");
  old.probes[onyx::kRoceProbe] = {"show roce", 1, "% Unrecognized command \"roce\".\n", ""};
  CHECK(
      layers(observe_one(provider, wanted(), old), "mode") ==
      "unknown (the switch says to show roce: % Unrecognized command \"roce\".) | - | absent");
}

}  // namespace
}  // namespace fabric::providers
