// SPDX-License-Identifier: Apache-2.0
// Taking over what somebody else configured, and giving it back.
#include <algorithm>

#include "engine/base/text.hpp"
#include "engine/model/resource_keys.hpp"
#include "engine/platform/owned_file.hpp"
#include "engine/value/digest.hpp"
#include "providers/linux/kinds/rows.hpp"

#include "tests/unit/providers/bond_fixture.hpp"
#include "tests/unit/providers/fixture.hpp"

namespace fabric::providers {
namespace {

using test::commands_of;
using test::layers;
using test::observe_one;

const Provider kProvider = link_provider(kinds::kInterface);

std::string as_files(const std::string& path, const std::string& content) {
  std::string text;
  for (const auto line : split_lines(content))
    text += path + ":" + std::string{line} + "\n";
  return text;
}

// Of any file: what counts is that it is the one of the plan.
std::string digest_of(const std::string& path) {
  return sha256(std::string_view{path}).substr(std::string_view{"sha256:"}.size());
}

std::string digests_of(const std::string& files) {
  std::string text;
  for (const auto& [path, content] : file_texts(files))
    text += digest_of(path) + " " + path + "\n";
  return text;
}

NodeFacts facts(const std::string& backends, const std::string& files) {
  return test::node_facts(
      {{"pci", test::fixture("pci-cx5-ethernet.txt")},
       {"network-backends", backends},
       {"network-files", files},
       {"file-digests", digests_of(files)},
       {"ip-addr", R"([{"ifname":"enp1s0f0np0","mtu":1500,"flags":["UP"],"addr_info":[]}])"},
       {"ip-route", "[]\n[]\n"},
       {"link-details", "/sys/class/net/enp1s0f0np0/mtu:1500\n"}});
}

Resource managed_port(bool adopt = true) {
  Map more{{"port", 1}, {"backend", "auto"}, {"network", "storage"}};
  if (adopt) more.emplace("adopt", true);
  return test::resource(
      "pve1/interface/cx5.1", test::adapter_binding(std::move(more)), {{"mtu", 9000}});
}

constexpr const char* kNetworkd = "tool networkctl\nunit systemd-networkd active\n";
constexpr const char* kIfupdown = "file /etc/network/interfaces\ntool ifup\n";
constexpr const char* kShared = "/etc/network/interfaces";
constexpr const char* kTheirs = "/etc/systemd/network/50-storage.network";

std::string findings(const Resource& wanted, const NodeFacts& node) {
  Diagnostics diagnostics;
  observe_one(kProvider, wanted, node, diagnostics);
  std::string text;
  for (const Diagnostic& each : diagnostics.items())
    text += each.message + "\n";
  return text;
}

TEST_CASE("a whole file is kept, replaced and given back with its own bytes", "[providers]") {
  const NodeFacts node =
      facts(kNetworkd, as_files(kTheirs, "[Match]\nName=enp1s0f0np0\n[Link]\nMTUBytes=4000\n"));
  CHECK_FALSE(findings(managed_port(false), node).empty());
  CHECK(findings(managed_port(), node).empty());
  const Work work = test::work_of(kProvider, managed_port(), node);
  REQUIRE(work.actions.size() == 2);
  CHECK(work.actions[0].kind == "network.adopt");
  CHECK(
      work.actions[0].title ==
      "keep its former configuration in /var/lib/fabric/adopted/cx5.1: "
      "/etc/systemd/network/50-storage.network:2 (the file goes), stays: Match.Name enp1s0f0np0, "
      "changes: Link.MTUBytes 4000 -> 9000");
  CHECK(work.actions[0].disruption == Disruption::none);
  CHECK(work.actions[0].steps.commands().at(0).at(6) == "whole");
  CHECK(work.actions[0].steps.commands().at(0).at(7) == digest_of(kTheirs));
  const ActionDraft& take = work.actions[1];
  CHECK(take.steps.removes() == std::vector<std::string>{kTheirs});
  CHECK(
      take.file_preconditions ==
      std::vector<FileCondition>{
          {kTheirs, digest_of(kTheirs)}, {"/etc/systemd/network/10-fabric-cx5.1.network", ""}});
  CHECK(take.undo.writes().empty());
  REQUIRE(take.undo.commands().size() > 1);
  CHECK(take.undo.commands()[0].at(4) == "/var/lib/fabric/adopted/cx5.1");
}

TEST_CASE("what configures other interfaces too is not taken over", "[providers]") {
  const NodeFacts several =
      facts(kNetworkd, as_files(kTheirs, "[Match]\nName=eno1 enp1s0f0np0\n[Network]\nDHCP=yes\n"));
  CHECK(
      findings(managed_port(), several) ==
      "pve1: /etc/systemd/network/50-storage.network:2 configures enp1s0f0np0 already, and fabric "
      "did not write it; it can't be taken over: the file configures other interfaces too\n");
  const NodeFacts generated = facts(
      kNetworkd, as_files("/run/systemd/network/50-x.network", "[Match]\nName=enp1s0f0np0\n"));
  CHECK(
      findings(managed_port(), generated).find("the file is made anew at every boot") !=
      std::string::npos);
}

TEST_CASE("what is a link, or was read without a digest, is not taken over", "[providers]") {
  NodeFacts node = facts(kNetworkd, as_files(kTheirs, "[Match]\nName=enp1s0f0np0\n"));
  node.probes.at("file-digests").standard_output = SharedText{};
  CHECK(
      findings(managed_port(), node) ==
      "pve1: /etc/systemd/network/50-storage.network:2 configures enp1s0f0np0 already, and fabric "
      "did not write it; it can't be taken over: the file is a link, or the facts have no digest "
      "of it\n");
}

TEST_CASE("what would be lost is named with its line, until it may go", "[providers]") {
  const NodeFacts node = facts(
      kNetworkd,
      as_files(kTheirs, "[Match]\nName=enp1s0f0np0\n[Network]\nDHCP=yes\nDNS=10.1.1.1\n"));
  Resource wanted = managed_port();
  const auto notes = [&] {
    Diagnostics diagnostics;
    observe_one(kProvider, wanted, node, diagnostics);
    std::string text;
    for (const Diagnostic& each : diagnostics.items()) {
      text += each.rule + ": " + each.message + "\n";
      for (const Note& note : each.related)
        text += note.message + "\n";
    }
    return text;
  };
  CHECK(
      notes() ==
      "adopt-would-lose: pve1: taking over enp1s0f0np0 would lose 2 statements that the document "
      "does not have\n/etc/systemd/network/50-storage.network:4 `Network.DHCP yes`: the document "
      "has no key for it; to drop it: `networkd "
      "Network.DHCP`\n/etc/systemd/network/50-storage.network:5 `Network.DNS 10.1.1.1`: the "
      "document has no key for it; to drop it: `networkd Network.DNS`\n");
  wanted.binding.insert_or_assign("adopt", List{"networkd Network.D*"});
  CHECK(notes().empty());
  CHECK(test::work_of(kProvider, wanted, node)
            .actions[0]
            .title.ends_with(
                ", stays: Match.Name enp1s0f0np0, goes: Network.DHCP yes, Network.DNS 10.1.1.1"));
}

TEST_CASE("a name that another interface has is touched by what is taken over", "[providers]") {
  const std::string of_other = "/etc/systemd/network/50-eno1.network";
  NodeFacts node = facts(
      kNetworkd,
      as_files(kTheirs, "[Match]\nName=enp1s0f0np0\n") +
          as_files(of_other, "[Match]\nName=eno1\n"));
  node.probes.at("link-details").standard_output =
      SharedText{"/sys/class/net/enp1s0f0np0/mtu:1500\n/sys/class/net/eno1/mtu:1500\n"};
  Resource wanted = managed_port();
  wanted.binding.insert_or_assign("name", "eno1");
  const Work work = test::work_of(kProvider, wanted, node);
  CHECK(work.actions[1].disturbs == std::vector<std::string>{"enp1s0f0np0", "eno1"});
  // The other one's file is its own: it loses that name by the same boot.
  CHECK(work.actions[1].steps.removes() == std::vector<std::string>{kTheirs});
}

TEST_CASE("a stanza of a shared file is commented out where it stands", "[providers]") {
  const NodeFacts node = facts(
      kIfupdown,
      as_files(
          kShared,
          "source /etc/network/interfaces.d/*\nauto enp1s0f0np0\n"
          "iface enp1s0f0np0 inet static\n  address 10.1.1.1/24\n  up true \\\n     false\n\n"
          "auto eno1\niface eno1 inet dhcp\n"));
  CHECK(
      findings(managed_port(), node) ==
      "pve1: taking over enp1s0f0np0 would lose 2 statements that the document does not have\n");
  const Work work = test::work_of(kProvider, managed_port(), node);
  REQUIRE(work.actions.size() == 2);
  CHECK(work.actions[0].steps.commands().at(0).at(6) == "part");
  CHECK(work.actions[1].steps.removes().empty());
  const remote::Argv edit = work.actions[1].steps.commands().at(0);
  CHECK(
      remote::Argv{edit.begin() + 3, edit.end()} ==
      remote::Argv{
          "fabric",
          kShared,
          digest_of(kShared),
          "#adopted by fabric cx5.1# ",
          "iface enp1s0f0np0 inet static\n  address 10.1.1.1/24\n  up true \\\n     false",
          ""});
  CHECK(
      work.actions[1].file_preconditions ==
      std::vector<FileCondition>{
          {kShared, digest_of(kShared)}, {"/etc/network/interfaces.d/fabric-cx5-1", ""}});
}

TEST_CASE("NetworkManager's two kinds of files are one configuration", "[providers]") {
  constexpr const char* kManager = "tool nmcli\nunit NetworkManager active\n";
  const std::string ifcfg = "/etc/sysconfig/network-scripts/ifcfg-enp1s0f0np0";
  const std::string route = "/etc/sysconfig/network-scripts/route-enp1s0f0np0";
  const std::string content = "BOOTPROTO=dhcp\nDEVICE=enp1s0f0np0\nONBOOT=";
  const NodeFacts theirs = facts(
      kManager, as_files(ifcfg, content + "yes\n") + as_files(route, "10.9.0.0/16 via 10.1.1.9\n"));
  CHECK(
      findings(managed_port(false), theirs) ==
      "pve1: " + ifcfg + ":2 configures enp1s0f0np0 already, and fabric did not write it\n" +
          "pve1: " + route + ":1 configures enp1s0f0np0 already, and fabric did not write it\n");
  CHECK(
      findings(managed_port(), theirs) ==
      "pve1: taking over enp1s0f0np0 would lose 2 statements that the document does not have\n");
  const Work work = test::work_of(kProvider, managed_port(), theirs);
  REQUIRE(work.actions.size() == 2);
  CHECK(work.actions[1].steps.removes() == std::vector<std::string>{ifcfg, route});
  CHECK(
      work.actions[1].steps.writes().at(0).path ==
      "/etc/NetworkManager/system-connections/fabric-cx5.1.nmconnection");
  // It does not come up by itself.
  CHECK(findings(
            managed_port(false),
            facts(
                kManager,
                as_files(ifcfg, content + "no\n") + as_files(route, "10.9.0.0/16 via 10.1.1.9\n")))
            .empty());

  const std::string keyfile = "/etc/NetworkManager/system-connections/lan.nmconnection";
  const std::string keyfiles =
      as_files(keyfile, "[connection]\nid=lan\ninterface-name=enp1s0f0np0\n");
  const auto by_ifcfg = [](bool adopt) {
    Resource wanted = managed_port(adopt);
    wanted.binding.insert_or_assign("backend", "ifcfg");
    return wanted;
  };
  const std::string finding =
      "pve1: " + keyfile + ":3 configures enp1s0f0np0 already, and fabric did not write it";
  CHECK(findings(by_ifcfg(false), facts(kManager, keyfiles)) == finding + "\n");
  CHECK(
      findings(by_ifcfg(true), facts(kManager, keyfiles)) ==
      finding +
          "; it can't be taken over: it is a keyfile, and `network_backend: ifcfg` writes none\n");
  // initscripts read none.
  CHECK(findings(by_ifcfg(false), facts("tool ifup\nunit network active\n", keyfiles)).empty());
}

TEST_CASE("a bridge keeps its ports", "[providers]") {
  const NodeFacts node = facts(
      kIfupdown,
      as_files(
          "/etc/network/interfaces",
          "source /etc/network/interfaces.d/*\nauto vmbr1\niface vmbr1 inet manual\n"
          "  bridge-ports enp1s0f0np0\n"));
  CHECK(
      findings(managed_port(), node)
          .find("it can't be taken over: it belongs to vmbr1, which fabric did not write") !=
      std::string::npos);
}

TEST_CASE(
    "what FRR does at a port has a second owner, and adopt takes nothing from it", "[providers]") {
  const auto by_frr = [](const std::string& content,
                         std::vector<std::pair<std::string, Value>> more = {}) {
    Resource wanted = managed_port();
    for (auto& [name, value] : more)
      wanted.desired.edit().insert_or_assign(name, DesiredAttribute{std::move(value), {}, "x"});
    return findings(wanted, facts(kNetworkd, as_files("/etc/frr/frr.conf", content)));
  };
  const std::string at_line_3 =
      "pve1: /etc/frr/frr.conf:3 configures enp1s0f0np0 already, and fabric did not write it; it "
      "can't be taken over: FRR makes it anew\n";
  const std::string address = "!\ninterface enp1s0f0np0\n ip address 10.15.15.1/24\nexit\n";
  CHECK(by_frr(address) == at_line_3);
  CHECK(by_frr("!\ninterface enp1s0f0np0\n ipv6 address fd00::1/64\n") == at_line_3);
  CHECK(by_frr(address, {{"addresses", List{"10.15.15.1/24"}}}).empty());
  CHECK(by_frr("interface lo\n ip address 10.15.15.1/32\n ip router openfabric 1\n").empty());
  // A protocol of routing is one's own, but beside tables of fabric's.
  for (const char* protocol :
       {" ip router openfabric 1", " ip ospf area 0", " ipv6 router isis x"}) {
    INFO(protocol);
    const std::string content = "!\ninterface enp1s0f0np0\n" + std::string{protocol} + "\n";
    CHECK(by_frr(content).empty());
    CHECK(by_frr(content, {{"incoming_table", 4001}}) == at_line_3);
  }
}

TEST_CASE("a bond gives its ports up to the document that declares it", "[providers]") {
  const auto slave_of = [](const char* bond) {
    Resource wanted = managed_port();
    wanted.binding.insert_or_assign("bond", bond);
    return wanted;
  };
  const NodeFacts ifupdown = facts(
      kIfupdown,
      as_files(
          "/etc/network/interfaces",
          "source /etc/network/interfaces.d/*\nauto bond0\niface bond0 inet manual\n"
          "  bond-slaves enp1s0f0np0 enp1s0f1np1\n"));
  const NodeFacts netplan = facts(
      std::string{kNetworkd} +
          "file /etc/netplan/50-bond.yaml\nfile "
          "/run/systemd/network/10-netplan-eno1.network\ntool netplan\n",
      as_files(
          "/etc/netplan/50-bond.yaml",
          "network:\n  version: 2\n  bonds:\n    bond0: {interfaces: [enp1s0f0np0]}\n"));
  for (const NodeFacts& node : {ifupdown, netplan}) {
    CHECK(findings(slave_of("bond0"), node).empty());
    CHECK(
        findings(slave_of("bond1"), node).find("it belongs to bond0, which fabric did not write") !=
        std::string::npos);
  }
}

constexpr const char* kNetplan =
    "file /etc/netplan/50-all.yaml\nfile /run/systemd/network/10-netplan-eno1.network\n"
    "tool netplan\ntool networkctl\nunit systemd-networkd active\n";
constexpr const char* kAll = "/etc/netplan/50-all.yaml";

TEST_CASE("an entry of a file of netplan is taken over where it stands", "[providers]") {
  // Others refer to it: what is left in its place defines it.
  const std::string theirs =
      "network:\n  version: 2\n  ethernets:\n    eno1: {dhcp4: true}\n    enp1s0f0np0:\n"
      "      match:\n        macaddress: \"0c:42:a1:00:00:01\"\n      set-name: enp1s0f0np0\n"
      "      # storage\n      mtu: 4000\n\n    # the other one\n    enp1s0f1np1: {}\n"
      "  bridges:\n    br0: {interfaces: [eno1]}\n";
  const NodeFacts node = facts(kNetplan, as_files(kAll, theirs));
  CHECK_FALSE(findings(managed_port(false), node).empty());
  CHECK(findings(managed_port(), node).empty());
  const Work work = test::work_of(kProvider, managed_port(), node);
  REQUIRE(work.actions.size() == 2);
  CHECK(work.actions[0].steps.commands().at(0).at(6) == "part");
  CHECK(work.actions[1].steps.removes().empty());
  const remote::Argv edit = work.actions[1].steps.commands().at(0);
  CHECK(
      remote::Argv{edit.begin() + 4, edit.end()} ==
      remote::Argv{
          kAll,
          digest_of(kAll),
          "#adopted by fabric cx5.1# ",
          "    enp1s0f0np0:\n      match:\n        macaddress: \"0c:42:a1:00:00:01\"\n"
          "      set-name: enp1s0f0np0\n      # storage\n      mtu: 4000",
          "    \"enp1s0f0np0\": {match: {macaddress: \"0c:42:a1:00:00:01\"}, set-name: "
          "\"enp1s0f0np0\"} #adopted by fabric cx5.1#"});
  CHECK(work.actions[1].steps.writes().at(0).path == "/etc/netplan/90-fabric-cx5.1.yaml");
}

TEST_CASE("what says only which interface it means stands in nobody's way", "[providers]") {
  for (const char* entry : {"{}", "{dhcp4: no, optional: true}", "{match: {name: enp1s0f0np0}}"}) {
    INFO(entry);
    const NodeFacts node = facts(
        kNetplan,
        as_files(
            kAll,
            "network:\n  version: 2\n  ethernets:\n    eno1: {dhcp4: true}\n    enp1s0f0np0: " +
                std::string{entry} + "\n"));
    CHECK(findings(managed_port(false), node).empty());
  }
}

TEST_CASE("an entry of netplan that can't be taken apart is not taken over", "[providers]") {
  const auto why = [](const std::string& entry) {
    return findings(
        managed_port(),
        facts(
            kNetplan,
            as_files(
                kAll, "network:\n  version: 2\n  ethernets:\n    eno1: {dhcp4: true}\n" + entry)));
  };
  CHECK(
      why("    enp1s0f0np0:\n      mtu: 4000\n      nameservers: {addresses: [10.1.1.1]}\n")
          .find("would lose 1 statement that the document does not have") != std::string::npos);
  CHECK(
      why("    storage:\n      match: {name: enp1s0f0np0}\n      mtu: 4000\n")
          .find("it calls the interface 'storage'") != std::string::npos);
  const std::string flow = findings(
      managed_port(),
      facts(
          kNetplan,
          as_files(
              kAll,
              "network:\n  version: 2\n  ethernets: {eno1: {dhcp4: true}, enp1s0f0np0: {mtu: "
              "4000}}\n")));
  CHECK(flow.find("it shares a line with other parts of the file") != std::string::npos);
}

// A bond, its port and the bridge on it by NetworkManager's own files.
TEST_CASE("a bond that is taken over stays a port of somebody's bridge", "[providers]") {
  const std::string theirs = "/etc/NetworkManager/system-connections/bond.nmconnection";
  test::bonding::Node bench;
  bench.backends = "tool nmcli\nunit NetworkManager active\n";
  bench.files = as_files(
      theirs,
      "[connection]\nid=bond\ntype=bond\ninterface-name=bond0\nmaster=br0\nslave-type=bridge\n"
      "\n[bond]\nmode=802.3ad\nmiimon=100\n");
  bench.links = test::bonding::bond0("802.3ad 4", test::bonding::kBothSlaves) +
                test::bonding::link("bond0", {"master:br0"}) +
                test::bonding::link("br0", {"mtu:9000"}) +
                test::bonding::link("enp1s0f0np0", {"mtu:9000", "master:bond0"}) +
                test::bonding::link("enp1s0f1np1", {"mtu:9000", "master:bond0"});
  const auto node_of = [&bench](const std::string& backends) {
    bench.backends = backends;
    NodeFacts node = bench.facts();
    node.probes["file-digests"].standard_output = digests_of(bench.files);
    return node;
  };
  const NodeFacts node = node_of(bench.backends);
  Resource wanted = test::bonding::bond();
  wanted.binding.emplace("adopt", true);
  const Work work = test::work_of(test::bonding::kBonds, wanted, node);
  REQUIRE(work.actions.size() == 2);
  CHECK(work.actions[1].steps.removes() == std::vector<std::string>{theirs});
  // Nothing that runs is touched.
  CHECK(work.actions[1].disruption == Disruption::none);
  const std::string ours = work.actions[1].steps.writes().at(0).content;
  INFO(ours);
  CHECK(ours.find("master=br0\nslave-type=bridge\n") != std::string::npos);
  CHECK(ours.find("[ipv4]") == std::string::npos);

  bench.files.clear();
  const Work by_networkd = test::work_of(test::bonding::kBonds, wanted, node_of(kNetworkd));
  const auto writes = by_networkd.actions.back().steps.writes();
  CHECK(std::any_of(writes.begin(), writes.end(), [](const auto& file) {
    return file.content.find("\nBridge=br0\n") != std::string::npos;
  }));
}

TEST_CASE("with the resource goes what was put in the place of another's", "[providers]") {
  const std::string ours =
      "# managed by fabric: pve1/interface/cx5.1\n[Match]\n"
      "Path=pci-0000:01:00.0\nType=ether\n[Link]\nMTUBytes=9000\n";
  const std::string own = "/etc/systemd/network/10-fabric-cx5.1.network";
  std::vector<remote::Argv> undo;
  const auto removal = [&](const std::string& more) {
    const NodeFacts node = facts(kNetworkd, as_files(own, ours) + more);
    const Observation observation = observe_one(kProvider, managed_port(false), node);
    Change change = test::change_of(kProvider, node, managed_port(false), observation);
    change.kind = ChangeKind::remove;
    const auto work = kProvider.work(change, WorkContext{node, observation, false});
    REQUIRE(work);
    REQUIRE(work->actions.size() == 1);
    CHECK(work->actions[0].steps.removes() == std::vector<std::string>{own});
    undo = work->actions[0].undo.commands();
    return commands_of(work->actions[0]);
  };
  CHECK(removal("").find("adopted") == std::string::npos);
  const std::string given = removal("/var/lib/fabric/adopted/cx5.1:\n");
  CHECK(
      given.find("/var/lib/fabric/adopted/cx5.1 '#adopted by fabric cx5.1# ' ") !=
      std::string::npos);
  // And it is made to run.
  CHECK(given.ends_with("networkctl reconfigure enp1s0f0np0\n"));
  // A rollback takes it over again, before anything of it can run.
  CHECK(undo.at(0).at(4) == "/var/lib/fabric/adopted/cx5.1");
  CHECK(undo.at(0).at(6) == "/var/lib/fabric/given-back/cx5.1");
}

// NetworkManager writes a profile anew, or makes one of our ifcfg file, and keeps its id alone.
TEST_CASE("a profile of ours that was migrated goes with the network", "[providers]") {
  const NodeFacts node = facts(
      "tool nmcli\nunit NetworkManager active\n",
      as_files(
          "/etc/NetworkManager/system-connections/fabric-cx5.1.nmconnection",
          "[connection]\nid=fabric-cx5.1\ntype=ethernet\ninterface-name=enp1s0f0np0\n"
          "[ethernet]\nmtu=9000\n[ipv4]\naddress1=10.30.0.1/24\nmethod=manual\n") +
          as_files(
              "/etc/NetworkManager/system-connections/theirs.nmconnection",
              "[connection]\nid=theirs\ninterface-name=eno1\n"));
  const Resource still = managed_port(false);
  CHECK(kProvider.orphans({&still, 1}, node).empty());
  const std::vector<Resource> left = kProvider.orphans({}, node);
  REQUIRE(left.size() == 1);
  CHECK(left[0].address.str() == "pve1/interface/cx5.1");
  const Observation observation = observe_one(kProvider, left[0], node);
  CHECK(layers(observation, "mtu") == "1500 | - | 9000");
  Change change = test::change_of(kProvider, node, left[0], observation);
  change.kind = ChangeKind::remove;
  const auto work = kProvider.work(change, WorkContext{node, observation, false});
  REQUIRE(work);
  CHECK(
      work->actions.at(0).steps.removes() ==
      std::vector<std::string>{"/etc/NetworkManager/system-connections/fabric-cx5.1.nmconnection"});
}

// ifcfg files are called after their interface: ours and theirs stand at the same path.
TEST_CASE(
    "of what was given back there is nothing of ours, though its file is there", "[providers]") {
  const NodeFacts node = facts(
      "file /etc/sysconfig/network-scripts/ifcfg-eno1\ntool ifup\n",
      as_files(
          "/etc/sysconfig/network-scripts/ifcfg-enp1s0f0np0",
          "DEVICE=enp1s0f0np0\nONBOOT=yes\nMTU=4000\n"));
  Resource gone = managed_port();
  CHECK(layers(observe_one(kProvider, gone, node), "mtu") == "1500 | - | absent");
  gone.desired["mtu"].value = Value{};
  CHECK(layers(observe_one(kProvider, gone, node), "mtu") == "1500 | - | absent");
}

}  // namespace
}  // namespace fabric::providers
