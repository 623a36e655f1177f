// SPDX-License-Identifier: Apache-2.0
#include "engine/base/text.hpp"
#include "providers/linux/kinds/rows.hpp"

#include "tests/unit/providers/fixture.hpp"

namespace fabric::providers {
namespace {

using namespace test;

const Provider kProvider = link_name_provider();
constexpr const char* kPath = "/etc/systemd/network/10-fabric-cx5.2.link";

Resource named(int port, const char* name) {
  return resource(
      "pve1/link_name/cx5." + std::to_string(port),
      adapter_binding({{"port", port}}),
      {{"name", name}});
}

Resource ethernet(int port, const char* name) {
  Resource wanted = named(port, name);
  wanted.binding.emplace("link_type", "ethernet");
  return wanted;
}

NodeFacts facts(const std::string& files) {
  return node_facts(
      {{"pci", fixture("pci-cx5.txt")}, {"network-files", files}, {"network-backends", ""}});
}

std::string file(const std::string& path_match, const std::string& name) {
  std::string text;
  for (const std::string& line :
       {std::string{"# managed by fabric: pve1/link_name/cx5.2"},
        std::string{"[Match]"},
        path_match,
        std::string{"Type=ether"},
        std::string{},
        std::string{"[Link]"},
        "Name=" + name}) {
    text += std::string{kPath} + ":" + line + "\n";
  }
  return text;
}

TEST_CASE("the name of an interface is what runs and what the file makes of it", "[providers]") {
  CHECK(
      layers(observe_one(kProvider, ethernet(2, "eth40b"), facts("")), "name") ==
      "enp1s0f1np1 | - | absent");
  CHECK(
      layers(observe_one(kProvider, ethernet(1, "eth40a"), facts("")), "name") == "- | - | absent");
  CHECK(
      layers(
          observe_one(
              kProvider, ethernet(2, "eth40b"), facts(file("Path=pci-0000:01:00.1", "eth40b"))),
          "name") == "enp1s0f1np1 | - | eth40b");
  CHECK(
      layers(
          observe_one(
              kProvider, ethernet(2, "eth40b"), facts(file("Path=pci-0000:02:00.1", "eth40b"))),
          "name") == "enp1s0f1np1 | - | absent");
}

TEST_CASE("a port that the next boot makes InfiniBand is not judged by its name", "[providers]") {
  const auto running = [](const std::string& type) {
    NodeFacts now = facts("");
    now.probes["mlxconfig"] = {
        "",
        0,
        "== tool mstconfig\n== version mstconfig, mstflint 4.21.0\n"
        "== card 0000:01:00.0\n\nDevice #1:\n----------\n\nDevice type:    ConnectX5\n"
        "Device:         0000:01:00.0\n\nConfigurations:    Next Boot\n LINK_TYPE_P2 " +
            type + "\n\n== status 0\n",
        ""};
    return layers(observe_one(kProvider, ethernet(2, "eth40b"), now), "name");
  };
  CHECK(running("ETH(2)") == "enp1s0f1np1 | - | absent");
  CHECK(running("IB(1)") == "- | - | absent");
}

TEST_CASE("a name is written for the next boot and needs one", "[providers]") {
  const Resource wanted = ethernet(2, "eth40b");
  const Work work = work_of(kProvider, wanted, facts(""));
  REQUIRE(work.actions.size() == 1);
  CHECK(work.actions[0].steps.writes().at(0).path == kPath);
  CHECK(
      without_record(work.actions[0].steps.writes().at(0).content) ==
      "# managed by fabric: "
      "pve1/link_name/cx5.2\n[Match]\nPath=pci-0000:01:00.1\nType=ether\n\n[Link]\nName=eth40b\n");
  CHECK(kProvider.disruption(facts(""), wanted, "name") == Disruption::reboot);
  CHECK(work_of(kProvider, wanted, facts(file("Path=pci-0000:01:00.1", "eth40b"))).actions.empty());
}

TEST_CASE("a port that is called something else at the next boot is disturbed", "[providers]") {
  using Devices = std::vector<std::string>;
  CHECK(
      work_of(kProvider, ethernet(2, "eth40b"), facts("")).actions.at(0).disturbs ==
      Devices{"enp1s0f1np1"});
  // Its name only becomes sure, and it has none yet.
  CHECK(work_of(kProvider, ethernet(2, "enp1s0f1np1"), facts("")).actions.at(0).disturbs.empty());
  // It is InfiniBand.
  CHECK(work_of(kProvider, ethernet(1, "eth40a"), facts("")).actions.at(0).disturbs.empty());
  // The file was written before; the boot does it all the same.
  const Work boot = work_of(
      kProvider, ethernet(2, "eth40b"), facts(file("Path=pci-0000:01:00.1", "eth40b")), true);
  REQUIRE(boot.actions.size() == 1);
  CHECK(boot.actions[0].stage == Stage::activate);
  CHECK(boot.actions[0].disturbs == Devices{"enp1s0f1np1"});
}

TEST_CASE("a boot that renames a port is rolled back with its name", "[providers]") {
  const NodeFacts on_ifupdown = node_facts(
      {{"pci", fixture("pci-cx5.txt")},
       {"network-files", ""},
       {"network-backends", "file /etc/network/interfaces\ntool ifup\n"}});
  const auto rolled_back = [](const ActionDraft& draft) {
    CHECK(draft.may_cut_off);
    REQUIRE(draft.undo.commands().size() == 2);
    // By the place of the port: nobody knows what the boot has made of its name.
    const remote::Argv back = draft.undo.commands()[0];
    CHECK(
        remote::Argv(back.end() - 4, back.end()) ==
        remote::Argv{"0000:01:00.1", "0", "1", "enp1s0f1np1"});
    CHECK(draft.undo.commands()[1] == remote::Argv{"systemctl", "restart", "networking"});
  };
  const Resource wanted = ethernet(2, "eth40b");
  const Work written = work_of(kProvider, wanted, on_ifupdown, true);
  rolled_back(written.actions.at(0));
  CHECK(written.actions[0].undo.removes() == std::vector<std::string>{kPath});
  // A file that waits there already had another content before, or none: the present name is kept.
  NodeFacts waits = on_ifupdown;
  waits.probes["network-files"].standard_output = file("Path=pci-0000:01:00.1", "eth40b");
  const Work waiting = work_of(kProvider, wanted, waits, true);
  rolled_back(waiting.actions.at(0));
  const auto kept = waiting.actions[0].undo.writes().at(0);
  CHECK(kept.path == kPath);
  CHECK(kept.content.ends_with("Name=enp1s0f1np1\n"));
  // No boot, or no other name: nothing is cut off.
  CHECK_FALSE(work_of(kProvider, wanted, on_ifupdown).actions.at(0).may_cut_off);
  CHECK_FALSE(
      work_of(kProvider, ethernet(2, "enp1s0f1np1"), on_ifupdown, true).actions.at(0).may_cut_off);
}

TEST_CASE("a name is rolled back by the back end that the document asks for", "[providers]") {
  const NodeFacts two = node_facts(
      {{"pci", fixture("pci-cx5.txt")},
       {"network-files", ""},
       {"network-backends",
        "file /etc/network/interfaces\ntool ifup\nunit NetworkManager active\n"}});
  const auto restored = [&two](const char* backend) {
    Resource wanted = ethernet(2, "eth40b");
    if (backend != nullptr) wanted.binding.emplace("backend", backend);
    return work_of(kProvider, wanted, two, true).actions.at(0).undo.commands().at(1);
  };
  CHECK(restored(nullptr) == remote::Argv{"systemctl", "start", "NetworkManager"});
  CHECK(restored("ifupdown") == remote::Argv{"systemctl", "restart", "networking"});
  CHECK(restored("networkd") == remote::Argv{"systemctl", "restart", "systemd-networkd"});
}

TEST_CASE("two ports behind one function are named by a rule with their number", "[providers]") {
  const auto wanted = [](int port) {
    return resource(
        "pve1/link_name/cx3." + std::to_string(port),
        adapter_binding({{"port", port}, {"device_ids", List{0x1003}}, {"link_type", "ethernet"}}),
        {{"name", port == 1 ? "eth40a" : "eth40b"}});
  };
  const auto from = [](const std::string& files) {
    return node_facts({{"pci", fixture("pci-cx3.txt")}, {"network-files", files}});
  };
  const std::string path = "/etc/udev/rules.d/70-fabric-cx3.2.rules";
  const Work work = work_of(kProvider, wanted(2), from(""));
  REQUIRE(work.actions.size() == 1);
  CHECK(work.actions[0].steps.writes().at(0).path == path);
  const std::string rule =
      R"(ACTION=="add", SUBSYSTEM=="net", KERNELS=="0000:41:00.0", ATTR{dev_port}=="1", )"
      R"(ATTR{type}=="1", NAME="eth40b")";
  CHECK(
      without_record(work.actions[0].steps.writes().at(0).content) ==
      "# managed by fabric: pve1/link_name/cx3.2\n" + rule + "\n");
  const auto file = [&](const std::string& line) {
    return path + ":# managed by fabric: pve1/link_name/cx3.2\n" + path + ":" + line + "\n";
  };
  CHECK(
      layers(observe_one(kProvider, wanted(2), from(file(rule))), "name").find("| eth40b") !=
      std::string::npos);
  CHECK(work_of(kProvider, wanted(2), from(file(rule))).actions.empty());
  // Its own file, and yet of another port.
  std::string other = rule;
  other.replace(other.find(R"("1")"), 3, R"("0")");
  CHECK(work_of(kProvider, wanted(2), from(file(other))).actions.size() == 1);
}

TEST_CASE("a port whose link type nobody says is named whatever it is", "[providers]") {
  const Resource wanted = named(2, "fab1");
  const std::string path = "/etc/udev/rules.d/70-fabric-cx5.2.rules";
  CHECK(layers(observe_one(kProvider, wanted, facts("")), "name") == "enp1s0f1np1 | - | absent");
  CHECK(
      layers(observe_one(kProvider, named(1, "fab0"), facts("")), "name") ==
      "ibp1s0f0 | - | absent");
  const Work work = work_of(kProvider, wanted, facts(""));
  REQUIRE(work.actions.size() == 1);
  CHECK(work.actions[0].steps.writes().at(0).path == path);
  const std::string both = without_record(work.actions[0].steps.writes().at(0).content);
  CHECK(both.find(R"(ATTR{type}=="1", NAME="fab1")") != std::string::npos);
  CHECK(both.find(R"(ATTR{type}=="32", KERNEL!="*.*", NAME="fab1")") != std::string::npos);
  const auto read = [&](const std::string& content) {
    std::string text;
    for (const std::string_view line : split_lines(content))
      text += path + ":" + std::string{line} + "\n";
    return layers(observe_one(kProvider, wanted, facts(text)), "name");
  };
  CHECK(read(both) == "enp1s0f1np1 | - | fab1");
  CHECK(read(both.substr(0, both.find("ATTR{type}==\"32\""))) == "enp1s0f1np1 | - | absent");
}

TEST_CASE("an IPoIB interface is named by a rule that leaves its children alone", "[providers]") {
  Resource wanted = named(1, "ib40a");
  wanted.binding.emplace("link_type", "infiniband");
  const std::string path = "/etc/udev/rules.d/70-fabric-cx5.1.rules";
  const std::string link = "/etc/systemd/network/10-fabric-cx5.1.link";
  const std::string rule =
      R"(ACTION=="add", SUBSYSTEM=="net", KERNELS=="0000:01:00.0", ATTR{dev_port}=="0", )"
      R"(ATTR{type}=="32", KERNEL!="*.*", NAME="ib40a")";
  const std::string marker = ":# managed by fabric: pve1/link_name/cx5.1\n";
  // What named it while it was Ethernet goes; what somebody else put there stays.
  const Work work = work_of(
      kProvider, wanted, facts(link + marker + link + ":[Link]\n" + link + ":Name=eth40a\n"));
  REQUIRE(work.actions.size() == 1);
  CHECK(work.actions[0].steps.writes().at(0).path == path);
  CHECK(without_record(work.actions[0].steps.writes().at(0).content).ends_with("\n" + rule + "\n"));
  CHECK(work.actions[0].steps.removes() == std::vector<std::string>{link});
  CHECK(work.actions[0].undo.writes().at(0).path == link);
  CHECK(
      work_of(kProvider, wanted, facts(link + ":[Link]\n")).actions.at(0).steps.removes().empty());
  const NodeFacts there = facts(path + marker + path + ":" + rule + "\n");
  CHECK(layers(observe_one(kProvider, wanted, there), "name").find("| ib40a") != std::string::npos);
  CHECK(work_of(kProvider, wanted, there).actions.empty());
}

// What link_name and interface find in a file of others.
std::string found_in(
    const std::string& path,
    const std::string& content,
    const Resource& name,
    const Resource* port,
    const std::string& ours = "") {
  std::string texts = ours;
  if (path.find("interfaces.d") != std::string::npos)
    texts += "/etc/network/interfaces:source /etc/network/interfaces.d/*\n";
  for (const std::string_view line : split_lines(content))
    texts += path + ":" + std::string{line} + "\n";
  std::string signs = "file /etc/network/interfaces\ntool ifup\n";
  if (path.starts_with("/etc/systemd/"))
    signs = "tool networkctl\nunit systemd-networkd active\nnetworkd enp1s0f1np1:configured\n";
  if (path.starts_with("/etc/netplan/"))
    signs = "tool netplan\nfile /etc/netplan/a.yaml\nfile /run/systemd/network/10-netplan-a\n";
  if (path.starts_with("/etc/NetworkManager/")) signs = "tool nmcli\nunit NetworkManager active\n";
  if (path.starts_with("/etc/sysconfig/")) signs = "file " + path + "\n";
  const NodeFacts node = node_facts(
      {{"pci", fixture("pci-cx5.txt")}, {"network-files", texts}, {"network-backends", signs}});
  Diagnostics diagnostics;
  observe_one(kProvider, name, node, diagnostics);
  if (port != nullptr) observe_one(link_provider(kinds::kInterface), *port, node, diagnostics);
  std::string found;
  for (const Diagnostic& each : diagnostics.items())
    found += each.message + "\n";
  return found;
}

TEST_CASE("nobody else loses the former name of a port without a word", "[providers]") {
  const std::string port = "enp1s0f1np1";
  const struct {
    const char* path;
    std::string before, line, after;
  } rows[] = {
      {"/etc/network/interfaces", "iface bond9 inet manual\n", " bond-slaves " + port, ""},
      {"/etc/network/interfaces",
       "iface bond9 inet manual\n slaves x1 x2\n",
       " bond_primary " + port,
       ""},
      {"/etc/network/interfaces.d/x", "iface br0 inet manual\n", " bridge_ports x1 " + port, ""},
      {"/etc/network/interfaces.d/x", "", "iface " + port + ".7 inet manual", "\n"},
      {"/etc/network/interfaces", "iface v7 inet manual\n", " vlan-raw-device " + port, ""},
      {"/etc/network/interfaces", "iface v7 inet manual\n", " vlan_raw_device " + port, ""},
      {"/etc/network/interfaces",
       "iface x1 inet manual\n",
       " pre-up ip link add v7 link " + port + " type vlan id 7",
       ""},
      {"/etc/network/interfaces",
       "iface x1 inet manual\n",
       " post-up sysctl -w net.ipv4.conf." + port + ".rp_filter=2",
       ""},
      {"/etc/systemd/network/v7.netdev",
       "[NetDev]\nName=mv0\nKind=macvlan\n[X]\n",
       "Y=" + port,
       ""},
      {"/etc/systemd/network/x.network",
       "[Match]\nName=x1\n[Network]\n",
       "BindCarrier=" + port,
       ""},
      {"/etc/systemd/network/x.network",
       "[Match]\n",
       "Name=x1 " + port,
       "\n[Network]\nBond=bond9\n"},
      {"/etc/netplan/a.yaml",
       "network:\n  bonds:\n    bond9:\n      interfaces:\n",
       "        - " + port,
       ""},
      {"/etc/netplan/a.yaml",
       "network:\n  bridges:\n    br0:\n",
       "      interfaces: [" + port + "]",
       ""},
      {"/etc/netplan/a.yaml",
       "network:\n  vlans:\n    v7:\n      id: 7\n",
       "      link: " + port,
       ""},
      {"/etc/NetworkManager/system-connections/v7.nmconnection",
       "[connection]\ntype=vlan\ninterface-name=v7\n[vlan]\nid=7\n",
       "parent=" + port,
       ""},
      {"/etc/NetworkManager/system-connections/x.nmconnection",
       "[connection]\ntype=ethernet\ninterface-name=x1\n",
       "master=" + port,
       ""},
      {"/etc/NetworkManager/system-connections/b.nmconnection",
       "[connection]\ntype=bond\ninterface-name=bond9\n[bond]\n",
       "primary=" + port,
       ""},
      {"/etc/sysconfig/network-scripts/ifcfg-v7", "DEVICE=v7\nVLAN=yes\n", "PHYSDEV=" + port, ""},
      {"/etc/sysconfig/network-scripts/ifcfg-x", "", "DEVICE=" + port + ".7", "\nVLAN=yes\n"},
      {"/etc/sysconfig/network-scripts/ifcfg-bond9",
       "DEVICE=bond9\n",
       "BONDING_OPTS=\"mode=1 primary=" + port + "\"",
       ""},
      {"/etc/frr/frr.conf", "", "interface " + port, "\n ip address 10.1.1.1/24\n"},
  };
  Resource in_network = ethernet(2, "eth40b");
  in_network.binding.emplace("network", "storage");
  Resource gone = ethernet(2, "eth40b");
  gone.desired["name"].value = Value{};
  for (const auto& row : rows) {
    const std::size_t number = split_lines(row.before).size() + 1;
    const std::string place = std::string{row.path} + ":" + std::to_string(number);
    const std::string text = row.before + row.line + row.after;
    CAPTURE(place, text);
    CHECK(
        found_in(row.path, text, ethernet(2, "eth40b"), nullptr).find(place) != std::string::npos);
    for (const bool adopt : {false, true}) {
      Resource wanted = resource(
          "pve1/interface/cx5.2",
          adapter_binding(
              {{"port", 2}, {"backend", "auto"}, {"network", "storage"}, {"name", "eth40b"}}),
          {{"mtu", 9000}});
      if (adopt) wanted.binding.emplace("adopt", true);
      CHECK(found_in(row.path, text, in_network, &wanted).find(place) != std::string::npos);
    }
    // The name stays.
    CHECK(found_in(row.path, text, ethernet(2, port.c_str()), nullptr).empty());
    // `names` gives it no more; a name by the place stays all the same.
    const std::string match = "Path=pci-0000:01:00.1";
    std::string by_name = text;
    by_name.replace(by_name.find(port), port.size(), "eth40b");
    CHECK(
        found_in(row.path, by_name, gone, nullptr, file(match, "eth40b")).find(place) !=
        std::string::npos);
    CHECK(found_in(row.path, by_name, gone, nullptr).empty());
    CHECK(found_in(row.path, text, gone, nullptr, file(match, port)).empty());
  }
}

TEST_CASE("what means a port by more than its former name is not lost", "[providers]") {
  const auto found = [](const char* path, const std::string& text, bool bond) {
    Resource name = ethernet(2, "eth40b");
    if (bond) name.binding.emplace("network", "storage");
    if (bond) name.binding.emplace("bond", "bond0");
    return found_in(path, text, name, nullptr);
  };
  // By its place, with the name as a label; a comment; the end of another name.
  CHECK(found(
            "/etc/systemd/network/a.network",
            "[Match]\nPath=pci-0000:01:00.1\n[Network]\nDescription=enp1s0f1np1\n",
            false)
            .empty());
  CHECK(
      found("/etc/network/interfaces", "# iface enp1s0f1np1\niface benp1s0f1np1 inet dhcp\n", false)
          .empty());
  // Its own section goes with the name, in whatever words; fabric's bond is judged by itself.
  CHECK(
      found("/etc/network/interfaces", "iface enp1s0f1np1 inet dhcp\n", false) ==
      "pve1: /etc/network/interfaces:1 `iface enp1s0f1np1 inet dhcp` is about enp1s0f1np1, which "
      "the next boot calls eth40b\n");
  CHECK(
      found("/etc/systemd/network/a.network", "[Match]\nName=enp1*\n[Network]\nDHCP=yes\n", false)
          .find("a.network:") != std::string::npos);
  CHECK(found("/etc/network/interfaces", "iface bond0 inet manual\n slaves enp1s0f1np1\n", true)
            .empty());
}

}  // namespace
}  // namespace fabric::providers
