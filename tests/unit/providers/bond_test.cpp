// SPDX-License-Identifier: Apache-2.0
// Bonds and their slaves: how they are made, what stands in the way of it, and how they are.
#include <string>
#include <vector>

#include "engine/base/text.hpp"

#include "tests/unit/providers/bond_fixture.hpp"

namespace fabric::providers::test::bonding {
namespace {

TEST_CASE("a bond that is not there is made with its slaves at once", "[providers]") {
  const Node node;
  const auto observation = observe_one(kBonds, bond(), node.facts());
  CHECK(layers(observation, "mode") == "absent | - | absent");
  // networkd says it in the slaves' files.
  CHECK(layers(observation, "slaves") == "absent | - | -");
  const Work work = work_of(kBonds, bond(), node.facts());
  // One action, so that the node can roll back all of it together.
  REQUIRE(work.actions.size() == 1);
  CHECK(work.actions[0].steps.writes().size() == 2);
  CHECK(
      commands_of(work.actions[0]) ==
      "networkctl reload\nnetworkctl reconfigure enp1s0f0np0 enp1s0f1np1\n");
  CHECK(work.actions[0].disruption == Disruption::link);
  CHECK(work.actions[0].may_cut_off);
  CHECK(work.actions[0].disturbs == std::vector<std::string>{"enp1s0f0np0", "enp1s0f1np1"});
  // The slaves' files were written before; they are rolled back with the bond.
  CHECK(
      work.actions[0].undo.removes() == std::vector<std::string>{
                                            "/etc/systemd/network/10-fabric-bond-bond0.netdev",
                                            "/etc/systemd/network/10-fabric-bond-bond0.network",
                                            "/etc/systemd/network/10-fabric-cx5.1.network",
                                            "/etc/systemd/network/10-fabric-cx5.2.network"});
}

TEST_CASE("a slave leaves it to its bond to be taken", "[providers]") {
  Node node;
  const Work work = work_of(kInterfaces, slave(1), node.facts());
  REQUIRE(work.actions.size() == 1);
  CHECK(work.actions[0].kind == "network.write");
  CHECK(work.actions[0].steps.writes().at(0).content.find("Bond=bond0\n") != std::string::npos);
}

TEST_CASE("a slave of the right bond with a wrong MTU gets that alone", "[providers]") {
  Node node;
  node.links += bond0("802.3ad 4", kBothSlaves) + link("enp1s0f0np0", {"master:bond0"});
  node.files = as_files(
      "/etc/systemd/network/10-fabric-cx5.1.network",
      "# managed by fabric: pve1/interface/cx5.1\n[Match]\nPath=pci-0000:01:00.0\nType=ether\n"
      "[Link]\nMTUBytes=9000\n[Network]\nBond=bond0\n");
  CHECK(layers(observe_one(kInterfaces, slave(1), node.facts()), "master") == "bond0 | - | bond0");
  const Work work = work_of(kInterfaces, slave(1), node.facts());
  REQUIRE(work.actions.size() == 1);
  CHECK(commands_of(work.actions[0]) == "ip link set dev enp1s0f0np0 mtu 9000\n");
}

TEST_CASE("what is called as our bond and is none is left alone", "[providers]") {
  Node node;
  node.links += link("bond0", {"mtu:1500", "type:1"});
  CHECK(
      layers(observe_one(kBonds, bond(), node.facts()), "mode") ==
      "unknown (the node has a bond0 that is no bond) | - | unknown (the node has a bond0 that is "
      "no bond)");
}

TEST_CASE("ifupdown without ifenslave makes no bond, and that is said before", "[providers]") {
  Node node;
  node.backends = "file /etc/network/interfaces\ntool ifup\n";
  node.files = kSourced;
  Diagnostics diagnostics;
  observe_one(kBonds, bond(), node.facts(), diagnostics);
  REQUIRE(diagnostics.items().size() == 1);
  CHECK(diagnostics.items()[0].rule == "package-missing");
  CHECK(
      diagnostics.items()[0].message ==
      "pve1: ifupdown ignores every bond-* option without the package ifenslave");
  // Unless the document brings it.
  Resource waits = bond();
  waits.after.push_back(*ResourceAddress::parse("pve1/package/ifenslave"));
  CHECK(layers(observe_one(kBonds, waits, node.facts()), "mode") == "absent | - | absent");
}

TEST_CASE("a bond on ifupdown2 names its slaves and needs no second stanza", "[providers]") {
  Node node;
  node.backends = std::string{kIfupdown} + "tool ifreload\n";
  node.files = kSourced;
  const auto observation = observe_one(kInterfaces, slave(1), node.facts());
  CHECK(layers(observation, "master") == "absent | - | -");
  CHECK(layers(observe_one(kBonds, bond(), node.facts()), "slaves") == "absent | - | absent");
}

TEST_CASE("whoever else takes one of our ports is found", "[providers]") {
  Node node;
  node.backends = kIfupdown;
  node.files = kSourced + as_files(
                              "/etc/network/interfaces",
                              "auto vmbr1\niface vmbr1 inet manual\n  bridge-ports enp1s0f0np0\n");
  Diagnostics diagnostics;
  observe_one(kInterfaces, slave(1), node.facts(), diagnostics);
  REQUIRE(diagnostics.items().size() == 1);
  CHECK(
      diagnostics.items()[0].message ==
      "pve1: /etc/network/interfaces:4 configures enp1s0f0np0 already, and fabric did not write "
      "it");
}

TEST_CASE("LACP that is up and has no partner is said with its reason", "[providers]") {
  Node node;
  node.links += bond0("802.3ad 4", kBothSlaves) +
                as_files("/proc/net/bonding/bond0", fixture("proc-bonding-no-partner.txt"));
  Diagnostics diagnostics;
  const auto observation = observe_one(kBonds, bond(), node.facts(), diagnostics);
  CHECK(layers(observation, "slaves") == "[cx5.1, cx5.2] | - | -");
  REQUIRE(diagnostics.items().size() >= 2);
  CHECK(diagnostics.items()[0].severity == Severity::warning);
  CHECK(
      diagnostics.items()[0].message ==
      "pve1: bond0: LACP is up but nothing is aggregated: no partner answers (partner MAC address "
      "00:00:00:00:00:00)");
}

TEST_CASE("a RoCE LAG is one RDMA device where there were two", "[providers]") {
  const Resource wanted = bond({{"mode", "802.3ad"}, {"roce", true}});
  Node node;
  CHECK(layers(observe_one(kBonds, wanted, node.facts()), "roce") == "absent | - | -");
  node.links += bond0("802.3ad 4", kBothSlaves);
  CHECK(layers(observe_one(kBonds, wanted, node.facts()), "roce") == "false | - | -");
  NodeFacts facts = node.facts();
  SharedText& pci = facts.probes["pci"].standard_output;
  std::string one;
  for (const auto line : split_lines(pci.str())) {
    if (line.find("01:00.1/infiniband/") == std::string_view::npos) one += std::string{line} + "\n";
  }
  pci = one;
  CHECK(layers(observe_one(kBonds, wanted, facts), "roce") == "true | - | -");
}

}  // namespace
}  // namespace fabric::providers::test::bonding
