// Bonds, their slaves and the VLANs on them: what is observed and what is done about it.
#include "providers/bond/bond.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "engine/base/text.hpp"
#include "engine/provider/leftover.hpp"
#include "providers/interface/interface.hpp"
#include "providers/vlan/vlan.hpp"

#include "tests/unit/providers/fixture.hpp"

namespace fabric::providers {
namespace {

using test::adapter_binding;
using test::commands_of;
using test::fixture;
using test::layers;
using test::node_facts;
using test::observe_one;
using test::resource;
using test::work_of;

const BondProvider kBonds;
const InterfaceProvider kInterfaces;
const VlanProvider kVlans;

constexpr const char* kNetworkd = "tool networkctl\nunit systemd-networkd active\n";
constexpr const char* kIfupdown =
    "file /etc/network/interfaces\ntool ifup\nfile /etc/network/if-pre-up.d/ifenslave\n";
constexpr const char* kSourced = "/etc/network/interfaces:source /etc/network/interfaces.d/*\n";

std::string as_files(const std::string& path, const std::string& content) {
  std::string text;
  for (const auto line : split_lines(content))
    text += path + ":" + std::string{line} + "\n";
  return text;
}

// What the kernel shows of one interface, as the probe "link-details" prints it.
std::string link(const std::string& name, const std::vector<std::string>& files) {
  std::string text;
  for (const std::string& file : files)
    text += "/sys/class/net/" + name + "/" + file + "\n";
  return text;
}

std::string bond0(const std::string& mode, const std::string& slaves, int miimon = 100) {
  return link(
      "bond0",
      {"mtu:9000",
       "type:1",
       "bonding/mode:" + mode,
       "bonding/slaves:" + slaves,
       "bonding/miimon:" + std::to_string(miimon),
       "bonding/xmit_hash_policy:layer3+4 1",
       "bonding/lacp_rate:slow 0"});
}

constexpr const char* kBothSlaves = "enp1s0f0np0 enp1s0f1np1";

struct Node {
  std::string backends = kNetworkd;
  std::string files;
  std::string links = link("enp1s0f0np0", {"mtu:1500"}) + link("enp1s0f1np1", {"mtu:1500"});
  std::string ip = R"([{"ifname":"bond0","mtu":9000,"flags":["UP"],"addr_info":[]},)"
                   R"({"ifname":"enp1s0f0np0","mtu":1500,"flags":["UP"],"addr_info":[]}])";
  NodeFacts facts() const {
    return node_facts(
        {{"pci", fixture("pci-cx5-ethernet.txt")},
         {"network-backends", backends},
         {"network-files", files},
         {"ip-addr", ip},
         {"ip-route", "[]\n[]\n"},
         {"link-details", links}});
  }
};

Map slave_binding(int port) {
  return adapter_binding({{"port", port}});
}

using Desired = std::vector<std::pair<std::string, Value>>;

Resource bond(Desired more = {{"mode", "802.3ad"}, {"miimon", 100}}) {
  more.emplace_back("mtu", 9000);
  more.emplace_back("slaves", List{"cx5.1", "cx5.2"});
  return resource(
      "pve1/bond/bond0",
      {{"bond", "bond0"},
       {"backend", "auto"},
       {"network", "storage"},
       {"slaves", List{slave_binding(1), slave_binding(2)}}},
      std::move(more));
}

Resource slave(int port) {
  return resource(
      "pve1/interface/cx5." + std::to_string(port),
      adapter_binding({{"port", port}, {"backend", "auto"}, {"bond", "bond0"}}),
      {{"mtu", 9000}, {"master", "bond0"}});
}

Resource vlan() {
  return resource(
      "pve1/vlan/storage.backup",
      {{"parent_kind", "bond"},
       {"parent", "bond0"},
       {"bond", "bond0"},
       {"id", 100},
       {"backend", "auto"},
       {"slaves", List{slave_binding(1), slave_binding(2)}}},
      {{"id", 100}, {"mtu", 9000}, {"addresses", List{"10.100.0.1/24"}}});
}

TEST_CASE("a bond that is not there is made with its slaves at once", "[providers]") {
  const Node node;
  const auto observation = observe_one(kBonds, bond(), node.facts());
  CHECK(layers(observation, "mode") == "absent | - | absent");
  // networkd says it in the slaves' files.
  CHECK(layers(observation, "slaves") == "absent | - | -");
  const Work work = work_of(kBonds, bond(), node.facts());
  // One action, so that the node can take back all of it together.
  REQUIRE(work.actions.size() == 1);
  CHECK(work.actions[0].writes.size() == 2);
  CHECK(
      commands_of(work.actions[0]) ==
      "networkctl reload\nnetworkctl reconfigure enp1s0f0np0 enp1s0f1np1\n");
  CHECK(work.actions[0].disruption == Disruption::link);
  CHECK(work.actions[0].may_cut_off);
  CHECK(work.actions[0].disturbs == std::vector<std::string>{"enp1s0f0np0", "enp1s0f1np1"});
  // The slaves' files were written before; they are taken back with the bond.
  CHECK(
      work.actions[0].undo_removes == std::vector<std::string>{
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
  CHECK(work.actions[0].writes.at(0).content.find("Bond=bond0\n") != std::string::npos);
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

TEST_CASE("options that the kernel changes in place do not take the bond down", "[providers]") {
  Node node;
  node.links += bond0("802.3ad 4", kBothSlaves, 0);
  const Resource wanted = bond({{"mode", "802.3ad"}, {"miimon", 100}, {"hash_policy", "layer2+3"}});
  const Work work = work_of(kBonds, wanted, node.facts());
  REQUIRE(work.actions.size() == 1);
  CHECK(
      commands_of(work.actions[0]) ==
      "ip link set dev bond0 type bond xmit_hash_policy layer2+3 miimon 100\n");
  CHECK(kBonds.disruption(node.facts(), wanted, "miimon") == Disruption::runtime);
}

TEST_CASE("what our file alone says still of a bond goes back to the kernel's own", "[providers]") {
  const Desired before{
      {"mode", "active-backup"},
      {"miimon", 100},
      {"updelay", 200},
      {"hash_policy", "layer2+3"},
      {"primary", "cx5.2"}};
  Node node;
  const Work made = work_of(kBonds, bond(before), node.facts(), true);
  for (const auto& file : made.actions.at(0).writes)
    node.files += as_files(file.path, file.content);
  node.links += bond0("active-backup 1", kBothSlaves) +
                link("bond0", {"bonding/updelay:200", "bonding/primary:enp1s0f1np1"});
  const Resource less = bond({{"mode", "active-backup"}, {"miimon", 100}});
  const auto left = kBonds.left_behind({&less, 1}, node.facts());
  const Work work = work_of(kBonds, with_leftovers({less}, left).at(0), node.facts());
  REQUIRE(work.actions.size() == 1);
  CHECK(
      commands_of(work.actions[0]) ==
      "ip link set dev bond0 type bond xmit_hash_policy layer2 updelay 0\n"
      "sh -c 'echo >\"/sys/class/net/$1/bonding/primary\"' fabric bond0\n");
  const auto requires_it = [&](const char* attribute, const Value& value) {
    const Condition wanted{less.address, attribute, Layer::running, value};
    const auto& all = work.actions[0].postconditions;
    return std::find(all.begin(), all.end(), wanted) != all.end();
  };
  CHECK(requires_it("updelay", 0));
  CHECK(requires_it("hash_policy", "layer2"));
  CHECK(requires_it("primary", {}));
  // Of what nobody of us ever set nothing is said.
  CHECK_FALSE(requires_it("downdelay", 0));
}

TEST_CASE("an MTU that the document forgot is the kernel's own again, at once", "[providers]") {
  for (const char* backends : {kNetworkd, kIfupdown}) {
    CAPTURE(backends);
    Node node;
    node.backends = backends;
    node.files = kSourced;
    const Work made = work_of(kBonds, bond(), node.facts(), true);
    for (const auto& file : made.actions.at(0).writes)
      node.files += as_files(file.path, file.content);
    node.links += bond0("802.3ad 4", kBothSlaves);
    Resource less = bond();
    less.desired.erase("mtu");
    const auto left = kBonds.left_behind({&less, 1}, node.facts());
    const Work work = work_of(kBonds, with_leftovers({less}, left).at(0), node.facts());
    REQUIRE(work.actions.size() == 1);
    CHECK(
        work.actions[0].commands.back() ==
        remote::Argv{"ip", "link", "set", "dev", "bond0", "mtu", "1500"});
    const Condition wanted{less.address, "mtu", Layer::running, 1500};
    const auto& all = work.actions[0].postconditions;
    CHECK(std::find(all.begin(), all.end(), wanted) != all.end());
  }
}

TEST_CASE("delays stay what they are when the driver counts in other steps", "[providers]") {
  Node node;
  node.links += bond0("802.3ad 4", kBothSlaves) + link("bond0", {"bonding/updelay:200"});
  const auto commands = [&node](int miimon) {
    const Resource wanted = bond({{"mode", "802.3ad"}, {"miimon", miimon}, {"updelay", 200}});
    return commands_of(work_of(kBonds, wanted, node.facts()).actions.at(0));
  };
  CHECK(commands(50) == "ip link set dev bond0 type bond miimon 50 updelay 200\n");
}

TEST_CASE("another mode wants another bond, and VLANs on it come back with it", "[providers]") {
  Node node;
  node.backends = kIfupdown;
  node.files = kSourced;
  node.links += bond0("active-backup 1", kBothSlaves);
  node.links +=
      "/proc/net/vlan/config:VLAN Dev name    | VLAN ID\n"
      "/proc/net/vlan/config:bond0.100      | 100  | bond0\n";
  Work work = work_of(kBonds, bond(), node.facts());
  REQUIRE(work.actions.size() == 1);
  CHECK(
      commands_of(work.actions[0]) ==
      "ifdown --force bond0\n"
      "ifdown --force enp1s0f0np0\nip addr flush dev enp1s0f0np0\n"
      "ifdown --force enp1s0f1np1\nip addr flush dev enp1s0f1np1\n"
      "ifup --force bond0\nifup --force enp1s0f0np0\nifup --force enp1s0f1np1\n"
      "sh -c 'ifquery \"$1\" >/dev/null 2>&1 || exit 0; exec ifup --force \"$1\"' fabric "
      "bond0.100\n");
  // Taken back, too: the last that comes up is what stood on it.
  CHECK(work.actions[0].undo_commands.back().back() == "bond0.100");
  node.backends = kNetworkd;
  work = work_of(kBonds, bond(), node.facts());
  CHECK(
      commands_of(work.actions.at(0)) ==
      "ip link delete bond0\nsystemctl restart systemd-networkd\n");
  // After a reload its ports would never join it (systemd 252).
  CHECK(
      work.actions[0].undo_commands.back() ==
      remote::Argv{"systemctl", "restart", "systemd-networkd"});
}

TEST_CASE("a bond that is a bridge's port is not made anew behind its back", "[providers]") {
  Node node;
  node.links += bond0("active-backup 1", kBothSlaves) + link("bond0", {"master:vmbr0"});
  const NodeFacts facts = node.facts();
  const Observation observation = observe_one(kBonds, bond(), facts);
  const auto work = kBonds.work(
      test::change_of(kBonds, facts, bond(), observation), WorkContext{facts, observation, false});
  REQUIRE_FALSE(work);
  CHECK(work.error().message.find("is a port of vmbr0") != std::string::npos);
}

TEST_CASE("the primary slave is whom the document means, however it says so", "[providers]") {
  for (const char* written : {"cx5.2", "cx5/2", "2", "enp1s0f1np1"}) {
    INFO(written);
    const Resource wanted = bond({{"mode", "active-backup"}, {"primary", written}});
    Node node;
    node.links +=
        bond0("active-backup 1", kBothSlaves) + link("bond0", {"bonding/primary:enp1s0f1np1"});
    const Work work = work_of(kBonds, wanted, node.facts(), true);
    for (const auto& file : work.actions.at(0).writes)
      node.files += as_files(file.path, file.content);
    CHECK(
        layers(observe_one(kBonds, wanted, node.facts()), "primary") ==
        std::string{written} + " | - | " + written);
  }
}

TEST_CASE("networkd knows the primary slave also while that has no interface yet", "[providers]") {
  // Its port 1 is InfiniBand.
  for (const char* written : {"cx5.1", "cx5/1"}) {
    CAPTURE(written);
    const Resource wanted = bond({{"mode", "active-backup"}, {"primary", written}});
    NodeFacts facts = Node{}.facts();
    facts.probes["pci"].standard_output = fixture("pci-cx5.txt");
    const Work work = work_of(kBonds, wanted, facts, true);
    std::string files;
    for (const auto& file : work.actions.at(0).writes)
      files += as_files(file.path, file.content);
    CHECK(files.find("10-fabric-cx5.1.network.d/primary-of-bond0.conf") != std::string::npos);
    facts.probes["network-files"].standard_output = files;
    CHECK(
        layers(observe_one(kBonds, wanted, facts), "primary") ==
        std::string{"absent | - | "} + written);
  }
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
  std::string& pci = facts.probes["pci"].standard_output;
  std::string one;
  for (const auto line : split_lines(pci)) {
    if (line.find("01:00.1/infiniband/") == std::string_view::npos) one += std::string{line} + "\n";
  }
  pci = one;
  CHECK(layers(observe_one(kBonds, wanted, facts), "roce") == "true | - | -");
}

TEST_CASE("a VLAN on a bond has files of its own and is made beneath no other", "[providers]") {
  Node node;
  node.links += bond0("802.3ad 4", kBothSlaves);
  const Work work = work_of(kVlans, vlan(), node.facts());
  REQUIRE(work.actions.size() == 1);
  std::vector<std::string> paths;
  for (const auto& file : work.actions[0].writes)
    paths.push_back(file.path);
  CHECK(
      paths == std::vector<std::string>{
                   "/etc/systemd/network/10-fabric-vlan-storage.backup.netdev",
                   "/etc/systemd/network/10-fabric-vlan-storage.backup.network",
                   "/etc/systemd/network/10-fabric-bond-bond0.network.d/vlan-storage.backup.conf"});
  CHECK(commands_of(work.actions[0]) == "networkctl reload\nnetworkctl reconfigure bond0\n");
}

TEST_CASE("a VLAN that runs is read back with its number", "[providers]") {
  Node node;
  node.links +=
      link("bond0.100", {"mtu:9000"}) + "/proc/net/vlan/config:bond0.100      | 100  | bond0\n";
  node.ip = R"([{"ifname":"bond0.100","mtu":9000,"flags":["UP"],"addr_info":[)"
            R"({"family":"inet","local":"10.100.0.1","prefixlen":24,"scope":"global"}]}])";
  const auto observation = observe_one(kVlans, vlan(), node.facts());
  CHECK(layers(observation, "id") == "100 | - | absent");
  CHECK(layers(observation, "mtu") == "9000 | - | absent");
  CHECK(layers(observation, "addresses") == "[10.100.0.1/24] | - | absent");
}

TEST_CASE(
    "one file of a VLAN without the others is our own torn write, or somebody else's wish",
    "[providers]") {
  Node node;
  node.links += bond0("802.3ad 4", kBothSlaves);
  const Work work = work_of(kVlans, vlan(), node.facts());
  const auto& network = work.actions.at(0).writes.at(1);
  const auto lines_of = [&network](const std::string& content) {
    std::string text;
    for (const auto line : split_lines(content))
      text += fmt::format("{}:{}\n", network.path, line);
    return text;
  };
  node.files = lines_of(network.content);
  CHECK(layers(observe_one(kVlans, vlan(), node.facts()), "mtu") == "absent | - | absent");
  std::string changed = network.content;
  changed.replace(changed.find("MTUBytes=9000"), 13, "MTUBytes=4242");
  node.files = lines_of(changed);
  const auto observation = observe_one(kVlans, vlan(), node.facts());
  CHECK(layers(observation, "mtu") == "absent | - | 4242");
  CHECK(layers(observation, "addresses") == "absent | - | absent");
}

TEST_CASE("removing a bond takes its device away too", "[providers]") {
  Node node;
  node.links += bond0("802.3ad 4", kBothSlaves);
  const Work made = work_of(kBonds, bond(), node.facts(), true);
  for (const auto& file : made.actions.at(0).writes)
    node.files += as_files(file.path, file.content);
  const NodeFacts facts = node.facts();
  const Observation observation = observe_one(kBonds, bond(), facts);
  CHECK(layers(observation, "mode") == "802.3ad | - | 802.3ad");
  Change change = test::change_of(kBonds, facts, bond(), observation);
  change.kind = ChangeKind::remove;
  const auto work = kBonds.work(change, WorkContext{facts, observation, false});
  REQUIRE(work);
  REQUIRE(work->actions.size() == 1);
  CHECK(work->actions[0].removes.size() == 2);
  CHECK(work->actions[0].undo_writes.size() == 2);
  REQUIRE(work->actions[0].commands.size() == 2);
  CHECK(work->actions[0].commands[0].back() == "bond0");
  CHECK(work->actions[0].commands[1] == remote::Argv{"networkctl", "reload"});
  // And that it is away is read back.
  const Condition gone{bond().address, "mode", Layer::running, Value{}};
  const std::vector<Condition>& wanted = work->actions[0].postconditions;
  CHECK(std::find(wanted.begin(), wanted.end(), gone) != wanted.end());
}

// A keyfile can't be written without a mode, and of a bond that goes away none is.
TEST_CASE("every back end lets go of a bond that nobody asks for", "[providers]") {
  for (const std::string backend : {"networkd", "networkmanager", "netplan", "ifcfg"}) {
    CAPTURE(backend);
    Node node;
    node.backends =
        "tool networkctl\nunit systemd-networkd active\ntool netplan\ntool nmcli\nunit "
        "NetworkManager active\n";
    node.links += bond0("802.3ad 4", kBothSlaves);
    Resource wanted = bond();
    wanted.binding["backend"] = backend;
    const Work made = work_of(kBonds, wanted, node.facts(), true);
    for (const auto& file : made.actions.at(0).writes)
      node.files += as_files(file.path, file.content);
    const NodeFacts facts = node.facts();
    const std::vector<Resource> left = kBonds.left_behind({}, facts);
    REQUIRE(left.size() == 1);
    Diagnostics diagnostics;
    const Observation observation = observe_one(kBonds, left[0], facts, diagnostics);
    CHECK(diagnostics.items().empty());
    Change change = test::change_of(kBonds, facts, left[0], observation);
    change.kind = ChangeKind::remove;
    const auto work = kBonds.work(change, WorkContext{facts, observation, false});
    INFO((work ? "" : work.error().message));
    CHECK(work.has_value());
  }
}

}  // namespace
}  // namespace fabric::providers
