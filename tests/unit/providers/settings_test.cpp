// SPDX-License-Identifier: Apache-2.0
#include "providers/linux/kinds/card_query/card_queries.hpp"
#include "providers/linux/kinds/rows.hpp"
#include "providers/linux/kinds/settings/told_settings.hpp"

#include "tests/unit/providers/fixture.hpp"

namespace fabric::providers {
namespace {

using namespace test;

const Provider kProvider = settings_provider();

// A card as the tool shows it; `rows` below the header `columns`.
std::string query(
    const std::string& columns, const std::string& rows, const std::string& card = "0000:01:00.0") {
  return "== tool mstconfig\n== version mstconfig, mstflint 4.21.0\n== card " + card +
         "\n\nDevice #1:\n----------\n\nDevice type:    ConnectX5\nDevice:         " + card +
         "\n\nConfigurations:    " + columns + "\n" + rows + "\n\n== status 0\n";
}

std::string records(const std::string& boot_id, const std::string& values) {
  std::string text = std::string{"/proc/sys/kernel/random/boot_id:"} + kBootNow + "\n";
  const std::string path = "/var/lib/fabric/settings/0000:01:00.0";
  if (!boot_id.empty()) text += path + ".boot_id:" + boot_id + "\n";
  if (!values.empty())
    text += path + ".record:# managed by fabric: pve1/settings/cx5\n" + path + ".record:" + values +
            "\n";
  return text;
}

NodeFacts facts(const std::string& table, const std::string& record = records("", "")) {
  return node_facts(
      {{"pci", fixture("pci-cx5.txt")}, {"mlxconfig", table}, {"settings-records", record}});
}

Resource wanted(std::vector<std::pair<std::string, Value>> desired) {
  return resource("pve1/settings/cx5", adapter_binding(), std::move(desired));
}

std::string observed(const NodeFacts& from, const std::string& parameter, Value value) {
  return layers(observe_one(kProvider, wanted({{parameter, std::move(value)}}), from), parameter);
}

TEST_CASE("the Current column tells what runs, by number whatever the name", "[providers]") {
  const NodeFacts from = facts(query(
      "Default Current Next Boot",
      "* HOST_CHAINING_MODE DISABLED(0) DISABLED(0) BASIC(1)\n LINK_TYPE_P1 IB(1) IB(1) ETH(2)\n"
      " NUM_OF_VFS 8 148 N/A\n HOST_CHAINING_DESCRIPTORS Array[0..7] Array[0..7] Array[0..7]"));
  CHECK(observed(from, "HOST_CHAINING_MODE", 1) == "0 | 1 | -");
  CHECK(observed(from, "LINK_TYPE_P1", 2) == "1 | 2 | -");
  CHECK(observed(from, "LINK_TYPE_P1", "ETH") == "1 | ETH | -");
  CHECK(observed(from, "LINK_TYPE_P1", "eth") == "1 | eth | -");
  CHECK(observed(from, "NUM_OF_VFS", 8) == "148 | unknown (the tool shows N/A for NUM_OF_VFS) | -");
  CHECK(
      observed(from, "HOST_CHAINING_DESCRIPTORS", 8).find("unknown (the tool shows Array[0..7]") ==
      0);
}

TEST_CASE("what the tool prints alike of the cards of many nodes is one table", "[providers]") {
  const std::string printed = query("Default Current Next Boot", " NUM_OF_VFS 8 148 N/A");
  NodeFacts one = facts(printed);
  NodeFacts other = facts(printed);
  const PciAddress card = *PciAddress::parse("0000:01:00.0");
  CHECK(told_table(one, card) != told_table(other, card));
  TextPool pool;
  share_texts(one, pool);
  share_texts(other, pool);
  REQUIRE(told_table(one, card) != nullptr);
  CHECK(told_table(one, card) == told_table(other, card));
  CHECK(settings_of(other, card).table.get() == told_table(one, card));
  CHECK(told_table(one, *PciAddress::parse("0000:02:00.0")) == nullptr);
  CHECK(told_table(facts("== tool mstconfig\n"), card) == nullptr);
}

TEST_CASE("without a Current column the kernel tells the link type", "[providers]") {
  const NodeFacts from = facts(query("Next Boot", " LINK_TYPE_P1 ETH(2)\n LINK_TYPE_P2 ETH(2)"));
  CHECK(observed(from, "LINK_TYPE_P1", 2) == "1 | 2 | -");
  CHECK(observed(from, "LINK_TYPE_P2", 2) == "2 | 2 | -");
  CHECK(observed(from, "LINK_TYPE_P2", "ETH") == "ETH | ETH | -");
}

TEST_CASE("without a Current column the kernel tells SR-IOV", "[providers]") {
  NodeFacts from = facts(query("Next Boot", " SRIOV_EN True(1)\n NUM_OF_VFS 16"));
  CHECK(observed(from, "SRIOV_EN", 1) == "0 | 1 | -");
  CHECK(observed(from, "NUM_OF_VFS", 16).find("unknown (") == 0);
  from.probes["pci"].standard_output = from.probes["pci"].standard_output.str() +
                                       "/sys/bus/pci/devices/0000:01:00.0/sriov_totalvfs:8\n";
  CHECK(observed(from, "SRIOV_EN", 1) == "1 | 1 | -");
  CHECK(observed(from, "NUM_OF_VFS", 16) == "8 | 16 | -");
}

TEST_CASE("of a minimum more is right, in each layer by itself, and less is not", "[providers]") {
  Resource resource = wanted({{"NUM_OF_VFS", 9}});
  resource.binding.emplace("at_least", List{"NUM_OF_VFS"});
  const auto seen = [&](const std::string& row) {
    const NodeFacts from = facts(query("Default Current Next Boot", "* NUM_OF_VFS " + row));
    return layers(observe_one(kProvider, resource, from), "NUM_OF_VFS");
  };
  CHECK(seen("0 16 16") == "9 | 9 | -");
  CHECK(seen("0 16 4") == "9 | 4 | -");
  CHECK(seen("0 8 9") == "8 | 9 | -");
  CHECK(seen("0 N/A N/A").find("unknown (") == 0);
  resource.binding.erase("at_least");
  CHECK(seen("0 16 16") == "16 | 16 | -");
}

TEST_CASE("whose link type changes is disturbed, by the boot alone too", "[providers]") {
  using Devices = std::vector<std::string>;
  const auto work = [](const std::string& rows, const Resource& resource, bool reboot = false) {
    return work_of(kProvider, resource, facts(query("Default Current Next Boot", rows)), reboot);
  };
  const std::string ethernet =
      " LINK_TYPE_P2 IB(1) ETH(2) ETH(2)\n SRIOV_EN False(0) False(0) False(0)";
  const Resource infiniband = wanted({{"LINK_TYPE_P2", 1}});
  CHECK(work(ethernet, infiniband).actions.at(0).disturbs == Devices{"enp1s0f1np1"});
  CHECK(work(ethernet, wanted({{"SRIOV_EN", 1}})).actions.at(0).disturbs.empty());
  const std::string armed = " LINK_TYPE_P2 IB(1) ETH(2) IB(1)";
  CHECK(work(armed, infiniband).actions.empty());
  const Work boot = work(armed, infiniband, true);
  REQUIRE(boot.actions.size() == 1);
  CHECK(boot.actions[0].stage == Stage::activate);
  CHECK(boot.actions[0].disturbs == Devices{"enp1s0f1np1"});
  // Set back to what runs.
  CHECK(work(armed, wanted({{"LINK_TYPE_P2", 2}})).actions.at(0).disturbs.empty());
  CHECK(
      work(
          " HOST_CHAINING_MODE DISABLED(0) DISABLED(0) DISABLED(0)",
          wanted({{"HOST_CHAINING_MODE", 1}}))
          .actions.at(0)
          .disturbs == Devices{"enp1s0f1np1", "ibp1s0f0"});
}

TEST_CASE("what only a record can prove is unknown until a boot after it", "[providers]") {
  const std::string table = query("Next Boot", " HOST_CHAINING_MODE BASIC(1)");
  const auto running = [&table](const std::string& record) {
    return observed(facts(table, record), "HOST_CHAINING_MODE", 1);
  };
  CHECK(
      running(records("", ""))
          .find("unknown (the card does not show the running value, and no record of the parameter "
                "exists") == 0);
  CHECK(running(records(kBootBefore, "HOST_CHAINING_MODE=1")) == "1 | 1 | -");
  CHECK(
      running(records(kBootNow, "HOST_CHAINING_MODE=1")) ==
      "unknown (set in this boot and not yet in force) | 1 | -");
  CHECK(running(records(kBootBefore, "HOST_CHAINING_MODE=0")).find("unknown (") == 0);
  CHECK(running(records("", "HOST_CHAINING_MODE=1")).find("unknown (") == 0);
  CHECK(running(records("99999999-2222", "HOST_CHAINING_MODE=1")).find("unknown (") == 0);
  const std::string lost =
      "/var/lib/fabric/settings/0000:01:00.0.boot_id:" + std::string{kBootBefore} +
      "\n/var/lib/fabric/settings/0000:01:00.0.record:HOST_CHAINING_MODE=1\n";
  CHECK(running(lost).find("unknown (") == 0);
}

TEST_CASE("a parameter that is not listed never equals what is wanted", "[providers]") {
  const NodeFacts from =
      facts(query("Current Next Boot", " SRIOV_EN True(1) True(1)\n LINK_TYPE_P1 IB(1) IB(1)"));
  CHECK(
      observed(from, "HOST_CHAINING_MODE", 1) ==
      "unknown (not supported by this card or its firmware) | unknown (not supported by this card "
      "or its firmware) | -");
  CHECK(observed(from, "LINK_TYPE_P2", 2).find("unknown (not supported") == 0);
}

TEST_CASE("an EN card has no link type to set and is what it is", "[providers]") {
  const NodeFacts from = facts(query("Current Next Boot", " SRIOV_EN True(1) True(1)"));
  CHECK(observed(from, "LINK_TYPE_P2", 2) == "2 | 2 | -");
  CHECK(observed(from, "LINK_TYPE_P2", "ETH") == "ETH | ETH | -");
  CHECK(observed(from, "LINK_TYPE_P1", 2) == "1 | 1 | -");
  CHECK(observed(from, "LINK_TYPE_P3", 2).find("unknown (") == 0);
}

TEST_CASE("why nothing could be read is said", "[providers]") {
  // What is missing is a finding besides: nothing can be read until somebody installs it.
  Diagnostics found;
  CHECK(
      layers(observe_one(kProvider, wanted({{"SRIOV_EN", 1}}), facts(""), found), "SRIOV_EN")
          .find("unknown (the node has neither mlxconfig nor mstconfig)") == 0);
  REQUIRE(found.items().size() == 1);
  CHECK(found.items().front().rule == "package-missing");
  CHECK(
      observed(facts("== tool mstconfig\n"), "SRIOV_EN", 1)
          .find("unknown (mstconfig did not query 0000:01:00.0)") == 0);
  CHECK(
      observed(
          facts("== tool mstconfig\n== card 0000:01:00.0\n-E- Failed to open the device\n\n== "
                "status 3\n"),
          "SRIOV_EN",
          1)
          .find("unknown (mstconfig of 0000:01:00.0 (exit 3): line 1: no table of settings; the "
                "tool says: -E- Failed to open the device)") == 0);
  const std::string locked = observed(
      facts("== tool mstconfig\n== lockdown none [integrity] confidentiality\n"
            "== card 0000:01:00.0\n-E- Failed to open the device\n\n== status 3\n"),
      "SRIOV_EN",
      1);
  CHECK(locked.find("the kernel is locked down (none [integrity] ") != std::string::npos);
  CHECK(locked.find("mst start") != std::string::npos);
  CHECK(
      observed(facts("== tool mstconfig\n== card 0000:01:00.0\n\n== status 139\n"), "SRIOV_EN", 1)
          .find("(exit 139)") != std::string::npos);
  NodeFacts unread = facts(query("Next Boot", " SRIOV_EN True(1)"));
  unread.probes["mlxconfig"].exit_status = 1;
  CHECK(
      observed(unread, "SRIOV_EN", 1)
          .find("unknown (the settings of the cards could not be read)") == 0);
}

TEST_CASE("a header without a table is a failure of the tool, not of the card", "[providers]") {
  const std::string header =
      "Device #1:\n----------\n\nDevice type:    ConnectX5\nName:           "
      "MCX556A-ECA_Ax\nDevice:         0000:01:00.0\n\n";
  for (const auto& [output, where] :
       {std::pair{header + "Configurations:    Default   Current   Next Boot\n", "line 9"},
        {header, "line 8"}}) {
    const std::string found = observed(
        facts(
            "== tool mstconfig\n== card 0000:01:00.0\n" + output +
            "-E- Failed to query device: 0000:01:00.0. ME_ICMD_BAD_PARAM\n== status 3\n"),
        "SRIOV_EN",
        1);
    CAPTURE(found, where);
    CHECK(found.find("not supported by this card") == std::string::npos);
    CHECK(found.find("tool says: -E- Failed to query device") != std::string::npos);
  }
}

TEST_CASE("what a table that failed in part lacks is unknown with the tool's text", "[providers]") {
  for (const char* failure :
       {"-E- Failed to query some of the TLVs: nv_sriov", "-E- Query of the parameter failed"}) {
    std::string table = query("Current Next Boot", " NUM_OF_VFS 8 8");
    table.replace(table.find("== status 0"), 11, std::string{failure} + "\n== status 3");
    CHECK(
        observed(facts(table), "SRIOV_EN", 1)
            .find(std::string{"unknown (mstconfig could not read all of the card: "} + failure) ==
        0);
  }
  CHECK(
      observed(facts(query("Current Next Boot", " NUM_OF_VFS 8 8")), "SRIOV_EN", 1)
          .find("unknown (not supported by this card") == 0);
}

TEST_CASE("a table is used although the query failed in part", "[providers]") {
  std::string table = query("Current Next Boot", " SRIOV_EN True(1) True(1)");
  table.replace(
      table.find("== status 0"),
      11,
      "-E- Failed to query some of the TLVs:\n    nv_x\n== status 3");
  CHECK(observed(facts(table), "SRIOV_EN", 1) == "1 | 1 | -");
}

TEST_CASE(
    "all that differs on a card is one set, in order, with read-back and undo", "[providers]") {
  const NodeFacts from = facts(query(
      "Current Next Boot",
      " LINK_TYPE_P1 IB(1) IB(1)\n LINK_TYPE_P2 ETH(2) ETH(2)\n HOST_CHAINING_MODE DISABLED(0) "
      "DISABLED(0)"));
  const Resource ring =
      wanted({{"LINK_TYPE_P1", 2}, {"LINK_TYPE_P2", 2}, {"HOST_CHAINING_MODE", 1}});
  const Work work = work_of(kProvider, ring, from);
  REQUIRE(work.actions.size() == 1);
  const ActionDraft& set = work.actions[0];
  CHECK(set.kind == "settings.set");
  CHECK(set.stage == Stage::prepare);
  CHECK(set.title == "set HOST_CHAINING_MODE=1 LINK_TYPE_P1=2 on cx5 (0000:01:00.0)");
  CHECK(
      commands_of(set) == "mstconfig -d 0000:01:00.0 -y set HOST_CHAINING_MODE=1 LINK_TYPE_P1=2\n");
  REQUIRE(set.steps.writes().size() == 1);
  CHECK(set.steps.writes()[0].path == "/var/lib/fabric/settings/0000:01:00.0.before");
  CHECK(
      set.preconditions == std::vector<Condition>{
                               {ring.address, "HOST_CHAINING_MODE", Layer::next_boot, 0},
                               {ring.address, "LINK_TYPE_P1", Layer::next_boot, 1}});
  CHECK(
      set.postconditions == std::vector<Condition>{
                                {ring.address, "HOST_CHAINING_MODE", Layer::next_boot, 1},
                                {ring.address, "LINK_TYPE_P1", Layer::next_boot, 2}});
  CHECK(
      set.undo.commands() == std::vector<remote::Argv>{
                                 {"mstconfig",
                                  "-d",
                                  "0000:01:00.0",
                                  "-y",
                                  "set",
                                  "HOST_CHAINING_MODE=0",
                                  "LINK_TYPE_P1=1"}});
  CHECK(kProvider.disruption(from, ring, "LINK_TYPE_P1") == Disruption::reboot);
}

TEST_CASE("what is armed already is not set again", "[providers]") {
  const NodeFacts from =
      facts(query("Current Next Boot", " HOST_CHAINING_MODE DISABLED(0) BASIC(1)"));
  CHECK(work_of(kProvider, wanted({{"HOST_CHAINING_MODE", 1}}), from).actions.empty());
}

TEST_CASE("a card that can't show its running values gets a record before the set", "[providers]") {
  const NodeFacts from =
      facts(query("Next Boot", " LINK_TYPE_P2 ETH(2)\n HOST_CHAINING_MODE DISABLED(0)"));
  const Resource ring = wanted({{"LINK_TYPE_P2", 2}, {"HOST_CHAINING_MODE", 1}});
  const Work work = work_of(kProvider, ring, from);
  REQUIRE(work.actions.size() == 1);
  const ActionDraft& set = work.actions[0];
  REQUIRE(set.steps.writes().size() == 2);
  CHECK(set.steps.writes()[0].path == "/var/lib/fabric/settings/0000:01:00.0.record");
  CHECK(set.steps.writes()[1].path == "/var/lib/fabric/settings/0000:01:00.0.before");
  CHECK(set.steps.writes()[0].content.find("# managed by fabric: pve1/settings/cx5\n") == 0);
  CHECK(set.steps.writes()[0].content.ends_with("HOST_CHAINING_MODE=1\nLINK_TYPE_P2=2\n"));
  CHECK(
      set.steps.removes() ==
      std::vector<std::string>{"/var/lib/fabric/settings/0000:01:00.0.boot_id"});
  const std::string commands = commands_of(set);
  CHECK(commands.find("cp /proc/sys/kernel/random/boot_id ") != std::string::npos);
  CHECK(
      commands.ends_with(" /var/lib/fabric/settings/0000:01:00.0.boot_id\n"
                         "mstconfig -d 0000:01:00.0 -y set HOST_CHAINING_MODE=1\n"));
  CHECK(set.undo.removes().size() == 3);

  // The same facts after the action and after a boot: nothing is left to do.
  const NodeFacts after = facts(
      query("Next Boot", " LINK_TYPE_P2 ETH(2)\n HOST_CHAINING_MODE BASIC(1)"),
      records(
          kBootNow,
          "HOST_CHAINING_MODE=1\n/var/lib/fabric/settings/0000:01:00.0.record:LINK_TYPE_P2=2"));
  Diagnostics diagnostics;
  const Observation armed = observe_one(kProvider, ring, after, diagnostics);
  for (const Condition& condition : set.postconditions) {
    INFO(condition.attribute);
    CHECK(
        armed.attributes.at(condition.attribute).layer(condition.layer)->equals(condition.equals));
  }
  CHECK(work_of(kProvider, ring, after).actions.empty());
  const NodeFacts booted = facts(
      query("Next Boot", " LINK_TYPE_P2 ETH(2)\n HOST_CHAINING_MODE BASIC(1)"),
      records(kBootBefore, "HOST_CHAINING_MODE=1"));
  CHECK(observed(booted, "HOST_CHAINING_MODE", 1) == "1 | 1 | -");
}

TEST_CASE(
    "an armed value that nothing proves to be in force is recorded, so that one boot proves it",
    "[providers]") {
  const NodeFacts from = facts(
      query("Next Boot", " HOST_CHAINING_MODE BASIC(1)"), records(kBootBefore, "NUM_OF_VFS=4"));
  const Resource chained = wanted({{"HOST_CHAINING_MODE", 1}});
  const Work work = work_of(kProvider, chained, from);
  REQUIRE(work.actions.size() == 1);
  CHECK(work.actions[0].kind == "settings.record");
  CHECK(commands_of(work.actions[0]).find("mstconfig") == std::string::npos);
  // Something must differ before it, or it would be taken for done.
  Diagnostics diagnostics;
  const Observation before = observe_one(kProvider, chained, from, diagnostics);
  CHECK(std::any_of(
      work.actions[0].postconditions.begin(),
      work.actions[0].postconditions.end(),
      [&before](const Condition& each) {
        return !before.attributes.at(each.attribute).layer(each.layer)->equals(each.equals);
      }));
  // Undo puts the former record back.
  REQUIRE(work.actions[0].undo.writes().size() == 2);
  CHECK(work.actions[0].undo.writes()[0].content.ends_with("NUM_OF_VFS=4\n"));
  CHECK(work.actions[0].undo.writes()[1].content == std::string{kBootBefore} + "\n");
}

TEST_CASE("a parameter that shows itself only after another takes two sets", "[providers]") {
  const NodeFacts from = facts(query(
      "Current Next Boot",
      " ADVANCED_PCI_SETTINGS False(0) False(0)\n SRIOV_EN False(0) False(0)"));
  const Resource esxi =
      wanted({{"ADVANCED_PCI_SETTINGS", 1}, {"FORCE_ETH_PCI_SUBCLASS", 1}, {"SRIOV_EN", 1}});
  CHECK(layers(observe_one(kProvider, esxi, from), "FORCE_ETH_PCI_SUBCLASS") == "0 | absent | -");
  const Work work = work_of(kProvider, esxi, from);
  REQUIRE(work.actions.size() == 2);
  CHECK(
      commands_of(work.actions[0]) == "mstconfig -d 0000:01:00.0 -y set ADVANCED_PCI_SETTINGS=1\n");
  CHECK(
      commands_of(work.actions[1]) ==
      "mstconfig -d 0000:01:00.0 -y set FORCE_ETH_PCI_SUBCLASS=1 SRIOV_EN=1\n");
  CHECK(work.actions[1].preconditions.size() == 1);
}

TEST_CASE("a read-only parameter is refused by name", "[providers]") {
  const NodeFacts from = facts(query("Current Next Boot", "RO SRIOV_EN False(0) False(0)"));
  const Resource sriov = wanted({{"SRIOV_EN", 1}});
  Diagnostics diagnostics;
  const Observation observation = observe_one(kProvider, sriov, from, diagnostics);
  const auto work = kProvider.work(
      change_of(kProvider, from, sriov, observation), WorkContext{from, observation, false});
  REQUIRE_FALSE(work);
  CHECK(work.error().message == "pve1/settings/cx5: SRIOV_EN is read-only on this card");
}

TEST_CASE("settings of a card that is not there are unknown", "[providers]") {
  const NodeFacts from =
      node_facts({{"pci", fixture("pci-cx3.txt")}, {"mlxconfig", ""}, {"settings-records", ""}});
  CHECK(observed(from, "SRIOV_EN", 1).find("unknown (no card of model connectx-5-vpi)") == 0);
}

}  // namespace
}  // namespace fabric::providers
