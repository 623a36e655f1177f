#include "providers/interface/interface.hpp"

#include "engine/base/text.hpp"

#include "tests/unit/providers/fixture.hpp"

namespace fabric::providers {
namespace {

using namespace test;

const InterfaceProvider kProvider;

constexpr const char* kNetworkd =
    "unit NetworkManager inactive\nunit systemd-networkd active\nunit networking inactive\ntool "
    "networkctl\n";
constexpr const char* kIfupdown =
    "file /etc/network/interfaces\nunit systemd-networkd inactive\nunit networking active\ntool "
    "ifup\n";
constexpr const char* kSourced =
    "/etc/network/interfaces:source /etc/network/interfaces.d/*\n/etc/network/interfaces:\n"
    "/etc/network/interfaces:auto lo\n/etc/network/interfaces:iface lo inet loopback\n";

// Port 2 of fixtures/pci-cx5.txt is enp1s0f1np1; port 1 is InfiniBand.
std::string ip_addr(
    int mtu, const std::string& addresses, const std::string& flags = "\"BROADCAST\",\"UP\"") {
  return R"([{},{"ifname":"lo","mtu":65536},{"ifname":"enp1s0f1np1","flags":[)" + flags +
         R"(],"link_type":"ether","mtu":)" + std::to_string(mtu) + R"(,"addr_info":[)" + addresses +
         R"({"family":"inet6","local":"fe80::1","prefixlen":64,"scope":"link"}]}])";
}

std::string inet(const std::string& address, int length) {
  return R"({"family":"inet","local":")" + address + R"(","prefixlen":)" + std::to_string(length) +
         R"(,"scope":"global"},)";
}

std::string as_files(const std::string& path, const std::string& content) {
  std::string text;
  for (const auto line : split_lines(content))
    text += path + ":" + std::string{line} + "\n";
  return text;
}

struct Node {
  std::string backends = kNetworkd;
  std::string files;
  std::string ip = ip_addr(1500, "");
  std::string pci = fixture("pci-cx5.txt");
  NodeFacts facts() const {
    return node_facts(
        {{"pci", pci}, {"network-backends", backends}, {"network-files", files}, {"ip-addr", ip}});
  }
};

Resource port(
    int number,
    Map more = {},
    std::vector<std::pair<std::string, Value>> desired = {
        {"mtu", 9000}, {"addresses", List{"10.30.0.2/24"}}}) {
  Map binding = adapter_binding({{"port", number}, {"backend", "auto"}, {"network", "storage"}});
  for (auto& [key, value] : more)
    binding.insert_or_assign(key, std::move(value));
  return resource(
      "pve1/interface/cx5." + std::to_string(number), std::move(binding), std::move(desired));
}

std::string findings(const Resource& wanted, const NodeFacts& facts) {
  Diagnostics diagnostics;
  observe_one(kProvider, wanted, facts, diagnostics);
  std::string text;
  for (const Diagnostic& each : diagnostics.items()) {
    text += std::string{to_string(each.severity)} + " " + each.rule + ": " + each.message + "\n";
  }
  return text;
}

constexpr const char* kNetworkFile =
    "# managed by fabric: pve1/interface/cx5.2\n"
    "[Match]\nPath=pci-0000:01:00.1\nType=ether\n\n"
    "[Link]\nMTUBytes=9000\nRequiredForOnline=no\n\n"
    "[Network]\nAddress=10.30.0.2/"
    "24\nLinkLocalAddressing=no\nIPv6AcceptRA=no\nConfigureWithoutCarrier=yes\n";
constexpr const char* kNetworkPath = "/etc/systemd/network/10-fabric-cx5.2.network";
constexpr const char* kInterfacesFile =
    "# managed by fabric: pve1/interface/cx5.2\n"
    "auto enp1s0f1np1\niface enp1s0f1np1 inet static\n    address 10.30.0.2/24\n    mtu 9000\n";
constexpr const char* kInterfacesPath = "/etc/network/interfaces.d/fabric-cx5-2";

TEST_CASE("what runs is read from ip, link-local addresses aside", "[providers]") {
  Node node;
  node.ip = ip_addr(9000, inet("10.30.0.10", 24) + inet("10.30.0.2", 24));
  const auto observation = observe_one(kProvider, port(2), node.facts());
  CHECK(layers(observation, "mtu") == "9000 | - | absent");
  CHECK(layers(observation, "addresses") == "[10.30.0.2/24, 10.30.0.10/24] | - | absent");
}

TEST_CASE("an interface that is down has no addresses in force", "[providers]") {
  Node node;
  node.ip = ip_addr(9000, inet("10.30.0.2", 24), "\"BROADCAST\"");
  CHECK(layers(observe_one(kProvider, port(2), node.facts()), "addresses") == "[] | - | absent");
}

TEST_CASE("old iproute2 and no iproute2 are read as far as they go", "[providers]") {
  Node node;
  node.ip =
      "1: lo    inet 127.0.0.1/8 scope host lo\n"
      "4: enp1s0f1np1    inet 10.30.0.2/24 brd 10.30.0.255 scope global enp1s0f1np1\\       "
      "valid_lft forever\n"
      "4: enp1s0f1np1    inet6 fe80::1/64 scope link \\       valid_lft forever preferred_lft "
      "forever\n";
  auto observation = observe_one(kProvider, port(2), node.facts());
  CHECK(layers(observation, "mtu") == "1500 | - | absent");
  CHECK(layers(observation, "addresses") == "[10.30.0.2/24] | - | absent");
  NodeFacts without = node.facts();
  without.probes["ip-addr"] = {"", 127, "", "sh: ip: not found\n"};
  observation = observe_one(kProvider, port(2), without);
  CHECK(layers(observation, "mtu") == "1500 | - | absent");
  CHECK(layers(observation, "addresses") == "unknown (ip did not tell the addresses) | - | absent");
}

TEST_CASE("a port that is not Ethernet yet has no interface to run anything", "[providers]") {
  const auto observation = observe_one(kProvider, port(1), Node{}.facts());
  CHECK(layers(observation, "mtu") == "absent | - | absent");
  CHECK(layers(observation, "addresses") == "absent | - | absent");
}

TEST_CASE("a networkd file is by PCI path, and is read back as it was written", "[providers]") {
  const Node node;
  const Work work = work_of(kProvider, port(2), node.facts());
  // One action, so that the node can take back both together.
  REQUIRE(work.actions.size() == 1);
  const ActionDraft& write = work.actions[0];
  CHECK(write.kind == "network.activate");
  CHECK(write.may_cut_off);
  REQUIRE(write.writes.size() == 1);
  CHECK(write.writes[0].path == kNetworkPath);
  CHECK(write.writes[0].content == kNetworkFile);
  CHECK(
      write.postconditions ==
      std::vector<Condition>{
          {port(2).address, "addresses", Layer::persistent, List{"10.30.0.2/24"}},
          {port(2).address, "mtu", Layer::persistent, 9000},
          {port(2).address, "addresses", Layer::running, List{"10.30.0.2/24"}},
          {port(2).address, "mtu", Layer::running, 9000}});
  CHECK(write.undo_removes == std::vector<std::string>{kNetworkPath});
  CHECK(write.stage == Stage::activate);
  CHECK(write.disruption == Disruption::link);
  CHECK(commands_of(write) == "networkctl reload\nnetworkctl reconfigure enp1s0f1np1\n");
  CHECK(
      write.undo_commands ==
      std::vector<remote::Argv>{
          {"networkctl", "reload"},
          {"ip", "address", "flush", "dev", "enp1s0f1np1", "scope", "global"},
          {"networkctl", "reconfigure", "enp1s0f1np1"}});

  Node done = node;
  done.files = as_files(kNetworkPath, write.writes[0].content);
  done.ip = ip_addr(9000, inet("10.30.0.2", 24));
  const auto observation = observe_one(kProvider, port(2), done.facts());
  CHECK(layers(observation, "mtu") == "9000 | - | 9000");
  CHECK(layers(observation, "addresses") == "[10.30.0.2/24] | - | [10.30.0.2/24]");
}

TEST_CASE("what a planned boot activates is not activated before it", "[providers]") {
  const Work work = work_of(kProvider, port(1), Node{}.facts(), true);
  REQUIRE(work.actions.size() == 1);
  CHECK(work.actions[0].kind == "network.write");
  CHECK(work.actions[0].writes[0].content.find("Path=pci-0000:01:00.0\n") != std::string::npos);
  // The boot makes it run, and so it is the boot that is guarded.
  CHECK(work.actions[0].stage == Stage::prepare);
  CHECK(work.actions[0].may_cut_off);
  CHECK(
      work.actions[0].undo_commands ==
      std::vector<remote::Argv>{{"systemctl", "restart", "systemd-networkd"}});
}

TEST_CASE("a port that no planned boot makes Ethernet is refused", "[providers]") {
  const NodeFacts facts = Node{}.facts();
  const Resource wanted = port(1);
  const Observation observation = observe_one(kProvider, wanted, facts);
  const auto work = kProvider.work(
      change_of(kProvider, wanted, observation), WorkContext{facts, observation, false});
  REQUIRE_FALSE(work);
  CHECK(
      work.error().message.find("port 1 of card 0000:01:00.0 is no Ethernet interface") !=
      std::string::npos);
}

TEST_CASE(
    "a file that is right while the interface is not is only activated, and the other way round",
    "[providers]") {
  Node node;
  node.files = as_files(kNetworkPath, kNetworkFile);
  Work work = work_of(kProvider, port(2), node.facts());
  REQUIRE(work.actions.size() == 1);
  CHECK(work.actions[0].kind == "network.activate");
  node.files = as_files(
      kNetworkPath,
      "# managed by fabric: "
      "pve1/interface/cx5.2\n[Match]\nPath=pci-0000:01:00.1\nType=ether\n[Link]\nMTUBytes=1500\n");
  node.ip = ip_addr(9000, inet("10.30.0.2", 24));
  CHECK(layers(observe_one(kProvider, port(2), node.facts()), "mtu") == "9000 | - | 1500");
  work = work_of(kProvider, port(2), node.facts());
  REQUIRE(work.actions.size() == 1);
  CHECK(work.actions[0].kind == "network.write");
  REQUIRE(work.actions[0].undo_writes.size() == 1);
  CHECK(work.actions[0].undo_writes[0].content.find("MTUBytes=1500\n") != std::string::npos);
}

TEST_CASE("a file of ours that matches another slot makes nothing of this port", "[providers]") {
  Node node;
  std::string moved = kNetworkFile;
  moved.replace(moved.find("01:00.1"), 7, "02:00.1");
  node.files = as_files(kNetworkPath, moved);
  CHECK(layers(observe_one(kProvider, port(2), node.facts()), "mtu") == "1500 | - | absent");
}

TEST_CASE("IPv6 addresses keep the link-local one that they need", "[providers]") {
  const Work work = work_of(
      kProvider, port(2, {}, {{"addresses", List{"10.30.0.2/24", "fd00::2/64"}}}), Node{}.facts());
  const std::string& content = work.actions.at(0).writes.at(0).content;
  CHECK(content.find("Address=fd00::2/64\nLinkLocalAddressing=ipv6\n") != std::string::npos);
  CHECK(content.find("MTUBytes") == std::string::npos);
}

TEST_CASE("two ports behind one function are matched by their burnt-in address", "[providers]") {
  Node node;
  node.pci = fixture("pci-cx3.txt");
  const Map cx3{{"device_ids", List{0x1003}}, {"model", "connectx-3-vpi"}};
  const Work work = work_of(kProvider, port(2, cx3), node.facts(), true);
  CHECK(
      work.actions.at(0).writes.at(0).content.find(
          "[Match]\nPermanentMACAddress=24:8a:07:11:22:34\nType=ether\n") != std::string::npos);
  CHECK(
      findings(port(1, cx3), node.facts())
          .find("error interface-name-unknown: pve1: interface cx5.1: both ports of card "
                "0000:41:00.0") == 0);
}

TEST_CASE(
    "a foreign networkd file is a finding if it names the port or wins over ours", "[providers]") {
  const auto with = [](const std::string& path, const std::string& match) {
    Node node;
    node.files = as_files(path, "# by hand\n[Match]\n" + match + "\n[Network]\nDHCP=yes\n");
    return findings(port(2), node.facts());
  };
  const std::string later = "/etc/systemd/network/50-x.network";
  const std::string earlier = "/run/systemd/network/05-x.network";
  CHECK(
      with(later, "Name=enp1s0f1np1") ==
      "error foreign-configuration: pve1: " + later +
          ":3 configures enp1s0f1np1 already, and fabric did not write it\n");
  CHECK_FALSE(with(later, "Name=eth0 enp1s0f1np1").empty());
  CHECK_FALSE(with(later, "MACAddress=0C:42:A1:8C:51:A9").empty());
  CHECK_FALSE(with(later, "Path=pci-0000:01:00.1").empty());
  CHECK(with(later, "Name=en*").empty());
  CHECK_FALSE(with(earlier, "Name=en*").empty());
  CHECK_FALSE(with(earlier, "Type=ether").empty());
  CHECK(with(earlier, "Type=wlan").empty());
  CHECK(with(earlier, "Name=!enp1s0f1np1").empty());
  CHECK(with(earlier, "Name=en*\nDriver=virtio_net").empty());
  CHECK(with(later, "Name=eno1").empty());
  CHECK(with("/etc/systemd/network/05-x.link", "Name=enp1s0f1np1").empty());
  CHECK_FALSE(with(kNetworkPath, "Name=enp1s0f1np1").empty());
}

TEST_CASE("an ifupdown file is by name, and is read back as it was written", "[providers]") {
  Node node;
  node.backends = kIfupdown;
  node.files = kSourced;
  const Work work = work_of(kProvider, port(2), node.facts());
  REQUIRE(work.actions.size() == 1);
  CHECK(work.actions[0].writes.at(0).path == kInterfacesPath);
  CHECK(work.actions[0].writes.at(0).content == kInterfacesFile);
  CHECK(
      commands_of(work.actions[0]) ==
      "ifdown --force enp1s0f1np1\nip addr flush dev enp1s0f1np1\nifup --force enp1s0f1np1\n");
  node.files += as_files(kInterfacesPath, kInterfacesFile);
  CHECK(
      layers(observe_one(kProvider, port(2), node.facts()), "addresses") ==
      "[] | - | [10.30.0.2/24]");
  CHECK(layers(observe_one(kProvider, port(2), node.facts()), "mtu") == "1500 | - | 9000");

  node.backends += "tool ifreload\n";
  CHECK(
      commands_of(work_of(kProvider, port(2), node.facts()).actions.at(0)) ==
      "ifdown enp1s0f1np1\nifup enp1s0f1np1\n");
}

TEST_CASE("an ifupdown file for the name to come is right before it comes", "[providers]") {
  Node node;
  node.backends = kIfupdown;
  node.files = kSourced;
  const Resource named = port(1, {{"name", "eth40a"}}, {{"mtu", 9000}});
  const Work work = work_of(kProvider, named, node.facts(), true);
  CHECK(
      work.actions.at(0).writes.at(0).content ==
      "# managed by fabric: pve1/interface/cx5.1\nauto eth40a\niface eth40a inet manual\n    mtu "
      "9000\n");
  CHECK(
      findings(port(1), node.facts()) ==
      "error interface-name-unknown: pve1: interface cx5.1: ifupdown needs the name of the "
      "interface, and port 1 of "
      "card 0000:01:00.0 has none yet\n");
}

TEST_CASE(
    "foreign stanzas are findings with file and line, the bare ones of Proxmox are not",
    "[providers]") {
  const auto with = [](const std::string& path, const std::string& text) {
    Node node;
    node.backends = kIfupdown;
    node.files = kSourced + as_files(path, text);
    return findings(port(2), node.facts());
  };
  const std::string file = "/etc/network/interfaces.d/storage";
  CHECK(
      with(file, "auto enp1s0f1np1\niface enp1s0f1np1 inet static\n  address 10.1.1.1/24\n") ==
      "error foreign-configuration: pve1: " + file +
          ":2 configures enp1s0f1np1 already, and fabric did not write it\n");
  CHECK_FALSE(with(file, "iface enp1s0f1np1 inet manual\n  bond-master bond0\n").empty());
  CHECK_FALSE(with(file, "iface enp1s0f1np1 inet dhcp\n").empty());
  CHECK(with(file, "iface enp1s0f1np1 inet manual\n\nauto eno1\niface eno1 inet dhcp\n").empty());
  CHECK(with(file, "iface enp1s0f1np1.100 inet dhcp\n").empty());
  Node unsourced;
  unsourced.backends = kIfupdown;
  unsourced.files = as_files("/etc/network/interfaces", "auto lo\n");
  CHECK(
      findings(port(2), unsourced.facts()) ==
      "error foreign-configuration: pve1: /etc/network/interfaces does not read the files of "
      "/etc/network/interfaces.d\n");
}

TEST_CASE("the owner of the interface decides the back end", "[providers]") {
  const auto chosen = [](const std::string& backends, const std::string& files = kSourced) {
    Node node;
    node.backends = backends;
    node.files = files;
    Diagnostics diagnostics;
    const Observation observation = observe_one(kProvider, port(2), node.facts(), diagnostics);
    if (!diagnostics.empty()) return diagnostics.items().front().message;
    const auto work = kProvider.work(
        change_of(kProvider, port(2), observation), WorkContext{node.facts(), observation, true});
    return work->actions.at(0).writes.at(0).path;
  };
  const std::string both =
      "file /etc/network/interfaces\ntool ifup\ntool networkctl\nunit systemd-networkd active\n";
  CHECK(chosen(kNetworkd) == kNetworkPath);
  CHECK(chosen(kIfupdown) == kInterfacesPath);
  CHECK(chosen(both) == kNetworkPath);
  const std::string stanza =
      kSourced + as_files(
                     kInterfacesPath,
                     "# managed by fabric: x\nauto enp1s0f1np1\niface enp1s0f1np1 inet manual\n");
  CHECK(chosen(both, stanza) == kInterfacesPath);
  CHECK(
      chosen(
          both + "networkctl 4 enp1s0f1np1 ether routable configured\n",
          kSourced + as_files(kInterfacesPath, kInterfacesFile)) == kNetworkPath);
  const std::string manager = std::string{kNetworkd} + "unit NetworkManager active\n";
  const std::string keyfile = "/etc/NetworkManager/system-connections/fabric-cx5.2.nmconnection";
  CHECK(chosen(manager) == keyfile);
  CHECK(chosen(manager + "nmcli enp1s0f1np1:unmanaged\n") == kNetworkPath);
  CHECK(chosen(manager + "nmcli enp1s0f1np1:connected\n") == keyfile);
  CHECK(chosen(std::string{kNetworkd} + "file /etc/netplan/50-cloud-init.yaml\n") == kNetworkPath);
  CHECK(
      chosen(
          std::string{kNetworkd} + "file /etc/netplan/50-cloud-init.yaml\nfile "
                                   "/run/systemd/network/10-netplan-eno1.network\n") ==
      "/etc/netplan/90-fabric-cx5.2.yaml");
  CHECK(
      chosen("file /etc/sysconfig/network-scripts/ifcfg-eno1\n") ==
      "/etc/sysconfig/network-scripts/ifcfg-enp1s0f1np1");
  CHECK(chosen("") == "pve1: no known network configuration was found");
}

TEST_CASE("the document can choose the back end itself", "[providers]") {
  Node node;
  node.files = kSourced;
  CHECK(
      work_of(kProvider, port(2, {{"backend", "ifupdown"}}), node.facts())
          .actions.at(0)
          .writes.at(0)
          .path == kInterfacesPath);
  CHECK(
      work_of(kProvider, port(2, {{"backend", "netplan"}}), node.facts())
          .actions.at(0)
          .writes.at(0)
          .path == "/etc/netplan/90-fabric-cx5.2.yaml");
}

TEST_CASE("a removal takes the file away", "[providers]") {
  Node node;
  node.files = as_files(kNetworkPath, kNetworkFile);
  const NodeFacts facts = node.facts();
  const Resource gone = port(2);
  const Observation observation = observe_one(kProvider, gone, facts);
  Change change = change_of(kProvider, gone, observation);
  change.kind = ChangeKind::remove;
  for (AttributeChange& attribute : change.attributes)
    attribute.write = true;
  const auto work = kProvider.work(change, WorkContext{facts, observation, true});
  REQUIRE(work);
  CHECK(work->actions.at(0).removes == std::vector<std::string>{kNetworkPath});
  CHECK(work->actions.at(0).undo_writes.at(0).content == kNetworkFile);
}

}  // namespace
}  // namespace fabric::providers
