// SPDX-License-Identifier: Apache-2.0
// One meaning of a foreign claim on every back end: whichever way a file names the first port of a
// card, it is somebody's; what names another interface is not about it.
#include "providers/linux/kinds/interface/backends/backend_table.hpp"
#include "providers/linux/kinds/interface/backends/spellings.hpp"

#include "tests/unit/providers/interface_fixture.hpp"

namespace fabric::providers {
namespace {

using namespace test;

constexpr const char* kSiteNetwork = "/etc/systemd/network/05-site.network";
constexpr const char* kNetplan = "/etc/netplan/50-site.yaml";
constexpr const char* kKeyfile = "/etc/NetworkManager/system-connections/site.nmconnection";
constexpr const char* kInterfaces = "/etc/network/interfaces";
constexpr const char* kIfcfg = "/etc/sysconfig/network-scripts/ifcfg-site";

enum class Claim {
  none,
  // It is the port's alone, so fabric can take it over.
  alone,
  // Somebody's who has other interfaces too, or a bond or a bridge: shown, never taken apart.
  shared
};

struct Spelled {
  std::string what, content;
  Claim claim = Claim::none;
};

Card card() {
  Card card{*PciAddress::parse("0000:01:00.0"), 0x1017, {}, {}, {}, {}, {}, {}};
  card.driver = "mlx5_core";
  AdapterPort port{.number = 1, .function = card.address};
  port.netdev = "enp1s0f0np0";
  port.netdev_is_ethernet = true;
  port.mac = port.permanent_mac = *MacAddress::parse("0c:42:a1:8c:51:a8");
  card.ports.push_back(port);
  return card;
}

void check(
    const NetworkBackend& backend, const std::string& path, const std::vector<Spelled>& table) {
  const Card of = card();
  LinkTarget target{.address = *ResourceAddress::parse("pve1/interface/cx5.1")};
  target.kind = LinkKind::port;
  target.name = "enp1s0f0np0";
  target.card = &of;
  target.port = &of.ports.front();
  for (const Spelled& each : table) {
    INFO(backend.name() << ": " << each.what);
    const std::vector<ForeignEntry> found = backend.foreign(target, {{path, each.content}});
    CHECK(found.empty() == (each.claim == Claim::none));
    if (found.empty()) continue;
    CHECK(found.front().path == path);
    CHECK(found.front().not_adoptable.empty() == (each.claim == Claim::alone));
  }
}

std::string netplan(const std::string& entries) {
  return "network:\n  version: 2\n" + entries;
}

std::string netplan_match(const std::string& id, const std::string& match) {
  return netplan("  ethernets:\n    " + id + ":\n      match: " + match + "\n      dhcp4: true\n");
}

TEST_CASE("netplan: whatever matches a port is a claim", "[providers]") {
  check(
      netplan_backend(),
      kNetplan,
      {{"by name", netplan("  ethernets:\n    enp1s0f0np0:\n      dhcp4: true\n"), Claim::alone},
       {"of another", netplan("  ethernets:\n    eno1:\n      dhcp4: true\n")},
       {"by driver", netplan_match("fast", "{driver: mlx5_core}"), Claim::shared},
       {"by a list of drivers",
        netplan_match("fast", "{driver: [ixgbe, \"mlx*\"]}"),
        Claim::shared},
       {"by another driver", netplan_match("fast", "{driver: ixgbe}")},
       {"by everything", netplan_match("all", "{}"), Claim::shared},
       {"by pattern", netplan_match("all", "{name: \"en*\"}"), Claim::shared},
       {"by another pattern", netplan_match("all", "{name: \"eth*\"}")},
       {"by pattern and driver",
        netplan_match("a", "{name: \"en*\", driver: mlx5_core}"),
        Claim::shared},
       {"by pattern and another driver", netplan_match("a", "{name: \"en*\", driver: ixgbe}")},
       {"by MAC, under another name",
        netplan_match("rail0", "{macaddress: \"0c:42:a1:8c:51:a8\"}"),
        Claim::alone},
       {"by another MAC", netplan_match("rail0", "{macaddress: \"0c:42:a1:8c:51:a9\"}")},
       {"in a bond",
        netplan("  bonds:\n    bond7:\n      interfaces: [enp1s0f0np0]\n"),
        Claim::shared},
       {"in a bridge, by a name of its own",
        netplan("  ethernets:\n    rail0:\n      match: {macaddress: \"0c:42:a1:8c:51:a8\"}\n"
                "  bridges:\n    br0:\n      interfaces: [rail0]\n"),
        Claim::shared},
       {"in a bond of others", netplan("  bonds:\n    bond7:\n      interfaces: [eno1]\n")},
       {"by MAC, in capitals and quotes",
        netplan_match("rail0", "{macaddress: '0C:42:A1:8C:51:A8'}"),
        Claim::alone},
       {"by the name that it is given",
        netplan("  ethernets:\n    rail0:\n      match: {driver: ixgbe}\n"
                "      set-name: enp1s0f0np0\n      dhcp4: true\n"),
        Claim::alone},
       {"by nothing after match", netplan_match("all", ""), Claim::shared},
       {"by NetworkManager's own entry",
        netplan("  ethernets:\n    NM-1:\n      match: {}\n      dhcp4: true\n"
                "      networkmanager:\n        passthrough:\n"
                "          connection.interface-name: \"enp1s0f0np0\"\n"),
        Claim::alone},
       {"by NetworkManager's entry of another",
        netplan("  ethernets:\n    NM-1:\n      match: {}\n      dhcp4: true\n"
                "      networkmanager:\n        passthrough:\n"
                "          connection.interface-name: \"eno1\"\n")},
       {"in a VRF", netplan("  vrfs:\n    red:\n      interfaces: [enp1s0f0np0]\n"), Claim::shared},
       {"in a file with anchors",
        netplan("  ethernets:\n    eno1: &all\n      dhcp4: true\n    enp1s0f0np0: *all\n"),
        Claim::shared},
       {"in a file with anchors, of others",
        netplan("  ethernets:\n    eno1: &all\n      dhcp4: true\n    eno2: *all\n")},
       {"no DHCP, in capitals", netplan("  ethernets:\n    enp1s0f0np0:\n      dhcp4: False\n")}});
}

std::string profile(const std::string& more, const std::string& connection = "") {
  return "[connection]\nid=site\ntype=ethernet\n" + connection + more + "\n[ipv4]\nmethod=auto\n";
}

TEST_CASE("NetworkManager: whatever matches a port is a claim", "[providers]") {
  check(
      keyfile_backend(),
      kKeyfile,
      {{"by name", profile("", "interface-name=enp1s0f0np0\n"), Claim::alone},
       {"of another", profile("", "interface-name=eno1\n")},
       {"by [match] and name", profile("\n[match]\ninterface-name=enp1s0f0np0;\n"), Claim::alone},
       {"by pattern", profile("\n[match]\ninterface-name=enp1s0*;\n"), Claim::shared},
       {"by all but one", profile("\n[match]\ninterface-name=!eno1;\n"), Claim::shared},
       {"by all but it", profile("\n[match]\ninterface-name=en*;!enp1s0f0np0;\n")},
       {"by another pattern", profile("\n[match]\ninterface-name=eth*;\n")},
       {"by path", profile("\n[match]\npath=pci-0000:01:00.0;\n"), Claim::alone},
       {"by a pattern of paths", profile("\n[match]\npath=pci-0000:01:*;\n"), Claim::shared},
       {"by another path", profile("\n[match]\npath=pci-0000:02:00.0;\n")},
       {"by driver", profile("\n[match]\ndriver=mlx5_core;\n"), Claim::shared},
       {"by another driver", profile("\n[match]\ndriver=ixgbe;igb;\n")},
       {"by driver and another name",
        profile("\n[match]\ndriver=mlx5_core;\ninterface-name=eth*;\n")},
       {"by nothing", profile(""), Claim::shared},
       {"by nothing, behind ours", profile("", "autoconnect-priority=-999\n")},
       {"by nothing, by hand", profile("", "autoconnect=false\n")},
       {"by MAC", profile("\n[ethernet]\nmac-address=0C:42:A1:8C:51:A8\n"), Claim::alone},
       {"by another MAC", profile("\n[ethernet]\nmac-address=0C:42:A1:8C:51:A9\n")},
       {"by MAC, as bytes",
        profile("\n[802-3-ethernet]\nmac-address=12;66;161;140;81;168;\n"),
        Claim::alone},
       {"by nothing, but not this MAC",
        profile("\n[ethernet]\nmac-address-denylist=0C:42:A1:8C:51:A8;\n")},
       {"by optional patterns", profile("\n[match]\ninterface-name=|eth*;|en*;\n"), Claim::shared},
       {"by patterns that must all fit",
        profile("\n[match]\ninterface-name=&en*;&!enp1s0f0np0;\n")},
       {"with blanks around the sign", profile("", "interface-name = enp1s0f0np0\n"), Claim::alone},
       {"of the older type",
        "[connection]\nid=site\ntype=802-3-ethernet\ninterface-name=enp1s0f0np0\n",
        Claim::alone},
       {"another type", "[connection]\nid=wlan\ntype=wifi\n"}});
  check(
      keyfile_backend(),
      "/run/NetworkManager/system-connections/site.nmconnection",
      {{"of this boot", profile("", "interface-name=enp1s0f0np0\n"), Claim::alone}});
  check(
      keyfile_backend(),
      "/usr/lib/NetworkManager/system-connections/site.nmconnection",
      {{"of a package", profile(""), Claim::shared}});
}

std::string bond_of(const std::string& option) {
  return "auto bond7\niface bond7 inet manual\n    " + option + "\n";
}

TEST_CASE("ifupdown: whatever takes a port is a claim", "[providers]") {
  const std::vector<Spelled> table{
      {"by name", "iface enp1s0f0np0 inet dhcp\n", Claim::alone},
      {"of another", "iface eno1 inet dhcp\n"},
      {"bare", "iface enp1s0f0np0 inet manual\n"},
      {"by a template",
       "%for i in range(0, 2):\niface enp1s0f${i}np${i} inet dhcp\n%endfor\n",
       Claim::shared},
      {"by a template of others", "%for i in range(0, 2):\niface swp${i} inet dhcp\n%endfor\n"},
      {"by a set", "iface enp1s0f[0-1]np0 inet dhcp\n", Claim::shared},
      {"mapped", "mapping enp1s0*\n    script /usr/local/sbin/map\n", Claim::shared},
      {"bond-slaves", bond_of("bond-slaves eno1 enp1s0f0np0"), Claim::shared},
      {"bond_slaves", bond_of("bond_slaves enp1s0f0np0"), Claim::shared},
      {"bond-ports", bond_of("bond-ports enp1s0f0np0"), Claim::shared},
      {"slaves", bond_of("slaves enp1s0f0np0"), Claim::shared},
      {"bridge-ports", bond_of("bridge-ports enp1s0f0np0"), Claim::shared},
      {"bridge_ports", bond_of("bridge_ports all"), Claim::shared},
      {"ovs_ports", bond_of("ovs_ports enp1s0f0np0 tap0"), Claim::shared},
      {"glob", bond_of("bridge-ports glob enp1s0f*"), Claim::shared},
      {"glob of a range", bond_of("bond-slaves glob enp1s0f0np0-3"), Claim::shared},
      {"glob of others", bond_of("bridge-ports glob swp1-6")},
      {"regex", bond_of("bridge-ports regex enp1s0f[01]np.*"), Claim::shared},
      {"regex of others", bond_of("bridge_ports regex (eth|swp)[0-9]+")},
      {"regex, then plain", bond_of("bridge_ports regex eth.* noregex enp1s0f0np0"), Claim::shared},
      {"none", bond_of("bridge-ports none")},
      {"a further address",
       "iface enp1s0f0np0:0 inet static\n    address 10.1.1.1/24\n",
       Claim::alone},
      {"of another with a longer name", "iface enp1s0f0np01 inet dhcp\n"},
      {"a stanza of another name",
       "auto enp1s0f0np0=rail0\niface rail0 inet dhcp\n",
       Claim::shared},
      {"a pattern with a stanza of another name",
       "auto /en*=rail0\niface rail0 inet dhcp\n",
       Claim::shared},
      {"by MAC with a stanza of another name",
       "allow-hotplug mac/0c:42:a1:8c:51:a8=rail0\niface rail0 inet dhcp\n",
       Claim::shared},
      {"by another MAC", "auto mac/0c:42:a1:8c:51:a9=rail0\niface rail0 inet dhcp\n"},
      {"a pattern that only brings up", "auto /en*\n"},
      {"by a command", bond_of("post-up ip link set enp1s0f0np0 master bond7"), Claim::shared},
      {"by ifenslave", bond_of("up /sbin/ifenslave bond7 enp1s0f0np0"), Claim::shared},
      {"in a rule of a firewall",
       bond_of("post-up iptables -t nat -A POSTROUTING -o enp1s0f0np0 -j MASQUERADE")},
      {"a list that goes on", bond_of("bridge-ports eno1 \\\n    enp1s0f0np0"), Claim::shared},
      {"a list by a template",
       bond_of("bridge-ports \\\n%for i in range(2):\n    enp1s0f${i}np${i} \\\n%endfor"),
       Claim::shared},
      {"others", bond_of("bond-slaves none")}};
  check(ifupdown_backend(), kInterfaces, table);
  check(ifupdown2_backend(), kInterfaces, table);
}

TEST_CASE("network scripts and networkd: whatever matches a port is a claim", "[providers]") {
  check(
      ifcfg_backend(),
      kIfcfg,
      {{"by name", "DEVICE=enp1s0f0np0\nONBOOT=yes\n", Claim::alone},
       {"by MAC", "HWADDR=0C:42:A1:8C:51:A8\nONBOOT=yes\n", Claim::alone},
       {"of another", "DEVICE=eno1\nONBOOT=yes\n"},
       {"by another MAC", "HWADDR=0C:42:A1:8C:51:A9\nONBOOT=yes\n"},
       {"in quotes", "export DEVICE=\"enp1s0f0np0\" # rail 0\n", Claim::alone},
       {"by MAC, under another name", "DEVICE=rail0\nHWADDR='0c:42:a1:8c:51:a8'\n", Claim::alone},
       {"a further address", "DEVICE=enp1s0f0np0:1\nIPADDR=10.1.1.1\n", Claim::alone},
       {"in a bond of Open vSwitch",
        "DEVICE=bond7\nDEVICETYPE=ovs\nBOND_IFACES=\"eno1 enp1s0f0np0\"\n",
        Claim::shared},
       {"by nothing, which the scripts take for the name of the file", "BOOTPROTO=dhcp\n"}});
  check(
      ifcfg_backend(),
      "/etc/sysconfig/network-scripts/ifcfg-enp1s0f0np0-range0",
      {{"a range of addresses", "IPADDR_START=10.1.1.1\nIPADDR_END=10.1.1.9\n", Claim::alone}});
  check(
      ifcfg_backend(),
      "/etc/sysconfig/network-scripts/ifcfg-site.rpmsave",
      {{"in a copy that nobody reads", "DEVICE=enp1s0f0np0\n"}});
  check(
      ifcfg_manager_backend(),
      kIfcfg,
      {{"by nothing", "TYPE=Ethernet\nBOOTPROTO=dhcp\n", Claim::shared},
       {"by nothing, of another type", "TYPE=InfiniBand\nBOOTPROTO=dhcp\n"},
       {"by a list of names", "MATCH_INTERFACE_NAME=\"eth* en*\"\n", Claim::shared},
       {"by a name", "MATCH_INTERFACE_NAME=enp1s0f0np0\n", Claim::alone},
       {"by another path", "MATCH_PATH=pci-0000:02:00.0\n"},
       {"by another driver", "MATCH_DRIVER=ixgbe\n"}});
  const auto match = [](const std::string& text) {
    return "[Match]\n" + text + "\n\n[Network]\nDHCP=yes\n";
  };
  check(
      networkd_backend(),
      kSiteNetwork,
      {{"by name", match("Name=enp1s0f0np0"), Claim::alone},
       {"by pattern", match("Name=en*"), Claim::shared},
       {"by everything", match("Name=*"), Claim::shared},
       {"by all but one", match("Name=!eno1"), Claim::shared},
       {"by path", match("Path=pci-0000:01:00.0"), Claim::alone},
       {"by driver", match("Driver=mlx5_core"), Claim::shared},
       {"by type", match("Type=ether"), Claim::shared},
       {"by MAC", match("PermanentMACAddress=0c:42:a1:8c:51:a8"), Claim::alone},
       {"of another", match("Name=eno1")},
       {"by a list", match("Name=eno1 enp1s0f0np0"), Claim::shared},
       {"by two lines", match("Name=eno1\nName=en*"), Claim::shared},
       {"by two lines, the second of which begins anew", match("Name=en*\nName=\nName=eno1")},
       {"by pattern, but not it", match("Name=en* !enp1s0f0np0")},
       {"by all but a list", match("Name=!eno1 enp1s0f0np0")},
       {"in quotes", match("Name=\"enp1s0f0np0\""), Claim::alone},
       {"by a pattern of drivers", match("Driver=mlx5*"), Claim::shared},
       {"by all but a driver", match("Driver=!ixgbe"), Claim::shared},
       {"by all but its driver", match("Driver=!mlx5_core")},
       {"by all but a type", match("Type=!loopback"), Claim::shared},
       {"by what is no virtual device", match("Kind=!*\nType=ether"), Claim::shared},
       {"by the kind of a virtual device", match("Kind=bond")},
       {"by MAC, with dots", match("MACAddress=0c42.a18c.51a8"), Claim::alone},
       {"by several MACs", match("MACAddress=0c-42-a1-8c-51-a9 0c-42-a1-8c-51-a8"), Claim::shared},
       {"by pattern of paths", match("Path=pci-0000:01:*"), Claim::shared},
       {"of a radio", match("Name=*\nSSID=home")},
       {"by nothing", "[Network]\nDHCP=yes\n"},
       {"by another driver", match("Driver=ixgbe")},
       {"by another path", match("Path=pci-0000:02:00.0")}});
  const std::string text = "[Network]\nDHCP=yes\n";
  check(
      networkd_backend(),
      "/etc/systemd/network/10-fabric-cx5.1.network.d/site.conf",
      {{"beside our file", text, Claim::shared}});
  check(
      networkd_backend(),
      "/etc/systemd/network/10-fabric-cx5.2.network.d/site.conf",
      {{"beside the file of another port", text}});
}

TEST_CASE("a line of a template ends the stanza before it", "[providers]") {
  const Card of = card();
  LinkTarget target{.address = *ResourceAddress::parse("pve1/interface/cx5.1")};
  target.name = "enp1s0f0np0";
  target.card = &of;
  target.port = &of.ports.front();
  const auto found = ifupdown2_backend().foreign(
      target,
      {{kInterfaces,
        "iface enp1s0f0np0 inet static\n    address 10.1.1.1/24\n%for i in range(2):\n"
        "iface swp${i} inet dhcp\n%endfor\n"}});
  REQUIRE(found.size() == 1);
  CHECK(found.front().line == 1);
  CHECK(found.front().last_line == 2);
}

TEST_CASE("what /etc/network/interfaces reads from elsewhere is ifupdown's too", "[providers]") {
  const Card of = card();
  LinkTarget target{.address = *ResourceAddress::parse("pve1/interface/cx5.1")};
  target.name = "enp1s0f0np0";
  target.card = &of;
  target.port = &of.ports.front();
  const std::string rail = "iface enp1s0f0np0 inet dhcp\n";
  const auto count = [&](const std::string& sources, const std::string& path) {
    return ifupdown_backend().foreign(target, {{kInterfaces, sources}, {path, rail}}).size();
  };
  CHECK(count("source /etc/site/*.cfg\n", "/etc/site/rail.cfg") == 1);
  CHECK(count("source site/*\n", "/etc/network/site/rail") == 1);
  CHECK(count("source-directory /etc/site\n", "/etc/site/rail") == 1);
  CHECK(count("source /etc/site/*.cfg\n", "/etc/site/rail.off") == 0);
  // And what those files read in turn, from their own folder on; two that read each other end.
  const auto through = [&](const std::string& sources, const std::string& path) {
    return ifupdown_backend()
        .foreign(
            target,
            {{kInterfaces, "source /etc/site/first\n"},
             {"/etc/site/first", sources},
             {"/etc/site/second", "source first\n"},
             {path, rail}})
        .size();
  };
  CHECK(through("source rails/*\n", "/etc/site/rails/one") == 1);
  CHECK(through("source second\nsource-directory /etc/rails\n", "/etc/rails/one") == 1);
  CHECK(through("source second\n", "/etc/site/rails/one") == 0);
}

TEST_CASE("a port of somebody's running bond is not taken out of it in passing", "[providers]") {
  for (const char* master : {"bond7", "br0"}) {
    const auto found = [&](const std::string& files, const Map& binding) {
      Node node{.backends = kNetworkd, .files = files};
      NodeFacts facts = node.facts();
      facts.probes["link-details"].standard_output =
          std::string{"/sys/class/net/enp1s0f1np1/master:"} + master + "\n";
      return findings(port(2, binding), facts);
    };
    CHECK(
        found("", {}) ==
        std::string{"error foreign-configuration: pve1: enp1s0f1np1 is a port of the "
                    "running "} +
            master + ", which no file of the node explains\n");
    CHECK(
        found("", {{"adopt", true}}) ==
        "error adopt-would-lose: pve1: taking over enp1s0f1np1 would lose 1 statement that the "
        "document does not have\n");
    CHECK(found("", {{"adopt", List{"running master"}}}).empty());
    // Of our own bond, and where a file of ours says what the port is: that is drift.
    CHECK(found("", {{"bond", master}}).empty());
    CHECK(found(as_files(kNetworkPath, kNetworkFile), {}).empty());
  }
}

TEST_CASE("what somebody runs on a port by hand is asked about", "[providers]") {
  const auto by_ip = [](const std::string& link, const std::string& address) {
    return R"([{"ifindex":3,"ifname":"enp1s0f1np1","flags":["UP"],"mtu":1500)" + link +
           R"(,"addr_info":[)" + address + "]}]";
  };
  const auto found = [&](const std::string& by_ip, const std::string& details, const Map& binding) {
    NodeFacts facts = Node{.backends = kNetworkd}.facts();
    facts.probes["ip-addr"].standard_output = by_ip;
    facts.probes["link-details"].standard_output = details;
    return findings(port(2, binding), facts);
  };
  const auto claim = [](const std::string& what) {
    return "error foreign-configuration: pve1: enp1s0f1np1 " + what +
           ", which no file of the node explains\n";
  };
  const std::string address =
      R"({"family":"inet","local":"10.9.0.1","prefixlen":24,"scope":"global"})";
  const std::string by_dhcp =
      R"({"family":"inet","local":"10.9.0.1","prefixlen":24,"scope":"global","dynamic":true})";
  const std::string vlan =
      "/proc/net/vlan/config:VLAN Dev name    | VLAN ID\n"
      "/proc/net/vlan/config:enp1s0f1np1.70 | 70 | enp1s0f1np1\n";
  CHECK(found(by_ip("", address), "", {}) == claim("has the address 10.9.0.1/24"));
  CHECK(found(by_ip("", by_dhcp), "", {}).empty());
  CHECK(
      found(by_ip(R"(,"qdisc":"htb")", ""), "", {}) ==
      claim("sends by the queueing discipline htb"));
  CHECK(found(by_ip(R"(,"qdisc":"fq_codel")", ""), "", {}).empty());
  CHECK(
      found(by_ip(R"(,"xdp":{"mode":1,"prog":{"id":7}})", ""), "", {}) ==
      claim("runs an XDP program"));
  const std::string function =
      R"(,"vfinfo_list":[{"vf":0,"address":"02:00:00:00:00:01"},{"vf":1,"vlan":7}])";
  const auto with_functions = [&](int count, const std::string& files) {
    Node node{.backends = kNetworkd};
    node.pci += "/sys/bus/pci/devices/0000:01:00.1/sriov_numvfs:" + std::to_string(count) + "\n";
    NodeFacts facts = node.facts();
    facts.probes["ip-addr"].standard_output = by_ip(function, "");
    facts.probes["sriov-files"].standard_output = files;
    return findings(port(2, {}), facts);
  };
  CHECK(
      with_functions(2, "") ==
      "error foreign-configuration: pve1: virtual function 0 has the address 02:00:00:00:00:01; "
      "virtual function 1 has the VLAN 7, which no file of the node explains\n");
  CHECK(with_functions(0, "").empty());
  CHECK(with_functions(
            2,
            as_files(
                "/etc/udev/rules.d/71-fabric-sriov-cx5.rules",
                "# managed by fabric: pve1/sriov/cx5\nKERNELS==\"0000:01:00.1\"\n"))
            .empty());
  CHECK(
      found(by_ip("", ""), "/sys/class/net/enp1s0f1np1/tc:clsact\n", {}) ==
      claim("has filters of tc (clsact)"));
  CHECK(found(by_ip("", ""), vlan, {}) == claim("carries the VLAN 70, enp1s0f1np1.70"));
  // The port's own file is gone, and that of the VLAN still stands.
  for (const bool is_ours : {true, false}) {
    Node node{.backends = kNetworkd};
    node.files = as_files(
        "/etc/systemd/network/10-fabric-vlan-storage.x.netdev",
        std::string{is_ours ? "# managed by fabric: pve1/vlan/storage.x\n" : "# by hand\n"} +
            "[NetDev]\nName=enp1s0f1np1.70\nKind=vlan\n");
    NodeFacts facts = node.facts();
    facts.probes["ip-addr"].standard_output = by_ip("", "");
    facts.probes["link-details"].standard_output = vlan;
    CHECK(findings(port(2, {}), facts).empty() == is_ours);
  }
  for (const auto& [told, details] :
       {std::pair{by_ip("", address), ""}, {by_ip("", ""), vlan.c_str()}})
    CHECK(found(told, details, {{"adopt", true}}).empty());
}

TEST_CASE("a regular expression of a node costs no more than its length", "[providers]") {
  // What is not tried may well fit.
  CHECK(ifupdown_lists("regex (e{1,200}){1,200}", "eth0"));
  CHECK(ifupdown_lists("regex " + std::string(500, 'e'), "eth0"));
  CHECK(ifupdown_lists("regex (", "eth0"));
  CHECK_FALSE(ifupdown_lists("regex eth1", "eth0"));
}

}  // namespace
}  // namespace fabric::providers
