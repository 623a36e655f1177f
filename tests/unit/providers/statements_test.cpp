// SPDX-License-Identifier: Apache-2.0
// What files of others say: every key of the sections about interfaces, bonds, VLANs, IPoIB and
// virtual functions, by the manuals of Debian 12 (interfaces(5), ifenslave, vlan, ifupdown2's
// addons, systemd.network(5), systemd.netdev(5), netplan(5), nm-settings-keyfile(5)) and of
// initscripts (sysconfig.txt). `%` stands in names that nobody has.
#include <map>
#include <span>

#include <fmt/format.h>

#include "engine/base/text.hpp"
#include "engine/model/opensm_options.hpp"
#include "providers/linux/kinds/interface/backends/backend_table.hpp"
#include "providers/linux/kinds/interface/link_statements.hpp"
#include "providers/linux/kinds/interface/statements/file_statement.hpp"
#include "providers/linux/lab/commands/rdma/opensm_defaults.hpp"

#include "tests/unit/providers/statements_fixture.hpp"

namespace fabric::providers {
namespace {

namespace bonding = test::bonding;
using test::class_of;
using test::Format;
using test::name_of;
using test::Of;
using test::statements;

struct Row {
  Of of;
  const char* key;
  const char* value;
  const char* expected;  // "" = not
};

std::string expected(const Row& row) {
  return row.expected[0] == '\0' ? "not" : row.expected;
}

constexpr Row kInterfaces[] = {
    // interfaces(5): iface, inet static and the others
    {Of::port, "address", "10.30.0.1/24", "said"},
    {Of::port, "address", "10.99.0.1/24", "otherwise: 10.30.0.1/24"},
    {Of::port,
     "address",
     "fd00:9::1/64",
     "sayable: networks: {storage: {ipv6: {subnet: \"fd00:9::/64\", addresses: {pve1/cx5/1: "
     "\"fd00:9::1\"}}}}"},
    {Of::bond,
     "address",
     "10.99.0.1/24",
     "sayable: networks: {storage: {ipv4: {subnet: \"10.99.0.0/24\", addresses: {pve1: "
     "\"10.99.0.1\"}}}}"},
    {Of::slave, "address", "10.99.0.1/24", ""},
    {Of::vlan, "address", "10.100.0.1/24", "said"},
    {Of::port,
     "gateway",
     "10.30.0.254",
     "sayable: networks: {storage: {ipv4: {gateway: \"10.30.0.254\"}}}"},
    {Of::vlan,
     "gateway",
     "10.100.0.254",
     "sayable: networks: {storage: {vlans: {backup: {ipv4: {gateway: \"10.100.0.254\"}}}}}"},
    {Of::port, "mtu", "9000", "said"},
    {Of::port, "mtu", "4200", "otherwise: 9000"},
    {Of::port, "network", "10.30.0.0", "said"},
    {Of::port, "broadcast", "+", "said"},
    {Of::port, "broadcast", "10.30.0.0", ""},
    {Of::port, "metric", "10", ""},
    {Of::port, "hwaddress", "02:00:00:00:00:01", ""},
    {Of::port, "pointopoint", "10.30.0.2", ""},
    {Of::port, "scope", "link", ""},
    {Of::port, "accept_ra", "2", ""},
    {Of::port, "autoconf", "1", ""},
    {Of::port, "privext", "2", ""},
    {Of::port, "preferred-lifetime", "60", ""},
    {Of::port, "dad-attempts", "0", ""},
    {Of::port, "dhcp", "1", ""},
    {Of::port, "description", "storage", ""},
    {Of::port, "hostname", "x", ""},
    {Of::port, "request_prefix", "1", ""},
    {Of::port, "pre-up", "echo 8 > /sys/class/net/x/device/sriov_numvfs", ""},
    {Of::port, "up", "mlnx_qos -i x --trust dscp", ""},
    {Of::port, "up", "ip rule add from 10.30.0.1 lookup 7", ""},
    {Of::port,
     "up",
     "ip route add 10.9.0.0/16 via 10.30.0.254 dev $IFACE",
     "sayable: networks: {storage: {ipv4: {routes: [{to: \"10.9.0.0/16\", via: "
     "\"10.30.0.254\"}]}}}"},
    {Of::port, "up", "ip route add 10.9.0.0/16 via 10.30.0.254 metric 7", ""},
    {Of::port, "up", "ip route add 10.9.0.0/16 via 10.30.0.254 dev eno1", ""},
    {Of::port,
     "up",
     "ip route add default via 10.30.0.254 dev $IFACE",
     "sayable: networks: {storage: {ipv4: {gateway: \"10.30.0.254\"}}}"},
    {Of::port, "post-up", "ethtool -G x rx 8192", ""},
    {Of::port, "down", "true", ""},
    {Of::port, "pre-down", "true", ""},
    {Of::port, "post-down", "true", ""},
    // resolvconf
    {Of::port, "dns-nameservers", "10.30.0.254", ""},
    {Of::port, "dns-search", "example.org", ""},
    // vlan, bridge-utils
    {Of::vlan, "vlan-raw-device", "bond0", "said"},
    {Of::vlan, "vlan_raw_device", "bond1", "otherwise: bond0"},
    {Of::vlan, "vlan-id", "100", "said"},
    {Of::vlan, "vlan-protocol", "802.1ad", ""},
    {Of::port, "bridge-access", "10", ""},
    {Of::port, "bridge-vids", "2-4094", ""},
    {Of::port, "bridge-pvid", "1", ""},
    // ifenslave, ifupdown2's bond
    {Of::slave, "bond-master", "bond0", "said"},
    {Of::slave, "bond-master", "bond9", ""},
    {Of::bond, "bond-slaves", "enp1s0f0np0 enp1s0f1np1", "said"},
    {Of::bond, "bond-slaves", "none", "nothing is known of bond-slaves"},
    {Of::bond, "bond-slaves", "eno1", "otherwise: enp1s0f0np0 enp1s0f1np1"},
    {Of::bond, "bond-mode", "4", "said"},
    {Of::bond, "bond-mode", "active-backup", "otherwise: 802.3ad"},
    {Of::bond, "bond_mode", "802.3ad", "said"},
    {Of::bond, "bond-miimon", "100", "said"},
    {Of::bond, "bond-miimon", "50", "otherwise: 100"},
    {Of::bond, "bond-updelay", "0", "said"},
    {Of::bond, "bond-updelay", "200", "sayable: networks: {storage: {lag: {updelay: 200}}}"},
    {Of::bond, "bond-downdelay", "200", "sayable: networks: {storage: {lag: {downdelay: 200}}}"},
    {Of::bond, "bond-lacp-rate", "0", "said"},
    {Of::bond, "bond-lacp-rate", "fast", "otherwise: slow"},
    {Of::bond, "bond-lacp-rate", "1", "otherwise: slow"},
    {Of::bond, "bond-xmit-hash-policy", "layer2", "said"},
    {Of::bond,
     "bond-xmit-hash-policy",
     "layer3+4",
     "sayable: networks: {storage: {lag: {hash_policy: layer3+4}}}"},
    {Of::bond, "bond-min-links", "2", "sayable: networks: {storage: {lag: {min_links: 2}}}"},
    {Of::bond,
     "bond-ad-select",
     "bandwidth",
     "sayable: networks: {storage: {lag: {ad_select: bandwidth}}}"},
    {Of::bond, "bond-primary", "enp1s0f0np0", "said"},  // 802.3ad has none
    {Of::bond, "bond-primary-reselect", "always", ""},
    {Of::bond, "bond-active-slave", "enp1s0f0np0", ""},
    {Of::bond, "bond-fail-over-mac", "active", ""},
    {Of::bond, "bond-use-carrier", "0", ""},
    {Of::bond, "bond-num-grat-arp", "3", ""},
    {Of::bond, "bond-num-unsol-na", "3", ""},
    {Of::bond, "bond-arp-interval", "100", ""},
    {Of::bond, "bond-arp-ip-target", "10.30.0.254", ""},
    {Of::bond, "bond-arp-validate", "all", ""},
    {Of::bond, "bond-resend-igmp", "1", ""},
    {Of::bond, "bond-all-slaves-active", "1", ""},
    {Of::bond, "bond-packets-per-slave", "1", ""},
    {Of::bond, "bond-queue-id", "1", ""},
    {Of::bond, "bond-lp-interval", "1", ""},
    {Of::bond, "bond-tlb-dynamic-lb", "0", ""},
    {Of::bond, "bond-ad-sys-priority", "1", ""},
    {Of::bond, "bond-ad-actor-system", "02:00:00:00:00:01", ""},
    {Of::bond, "bond-ad-user-port-key", "1", ""},
    {Of::bond, "bond-lacp-bypass-allow", "1", ""},
    {Of::bond, "es-sys-mac", "02:00:00:00:00:01", ""},
    // ifupdown2's other addons
    {Of::port, "alias", "storage", ""},
    {Of::port, "address-virtual", "02:00:00:00:00:01 10.30.0.9/24", ""},
    {Of::port, "vrf", "blue", ""},
    {Of::port, "link-speed", "100000", ""},
    {Of::port, "link-fec", "rs", ""},
    {Of::port, "ethtool-rx", "on", ""},
    {Of::port, "ip-forward", "on", ""},
    {Of::port, "mpls-enable", "yes", ""},
    {Of::port, "storm-control-broadcast", "1", ""},
    {Of::port, "made-up", "1", ""},
    {Of::bond, "bond-%", "1", ""},
    {Of::vlan, "vlan-%", "1", ""}};

TEST_CASE("every option of interfaces(5) has a class", "[providers]") {
  for (const Row& row : kInterfaces) {
    const std::string content =
        "iface " + name_of(row.of) + " inet static\n    " + row.key + " " + row.value + "\n";
    INFO(content);
    CHECK(
        class_of(
            statements({ifupdown_backend(), "/etc/network/interfaces"}, row.of, content),
            row.key) == expected(row));
  }
}

TEST_CASE(
    "the method of a stanza is a statement, and a netmask is one with its address", "[providers]") {
  const Format format{ifupdown_backend(), "/etc/network/interfaces"};
  const auto of_header = [&](const std::string& method, const char* key) {
    return class_of(
        statements(format, Of::port, "iface enp1s0f0np0 " + method + "\n    mtu 9000\n"), key);
  };
  CHECK(of_header("inet manual", "inet") == "said");
  CHECK(of_header("inet static", "inet") == "said");
  CHECK(of_header("inet dhcp", "inet") == "not");
  CHECK(of_header("inet6 auto", "inet6") == "not");
  CHECK(of_header("inet6 %", "inet6") == "not");
  CHECK(of_header("inet static inherits storage", "inherits") == "not");
  const auto all = statements(
      format,
      Of::port,
      "iface enp1s0f0np0 inet static\n    address 10.30.0.1\n    netmask 255.255.255.0\n");
  CHECK(class_of(all, "address") == "said");
  CHECK(class_of(all, "netmask") == "said");
  REQUIRE(all.size() == 3);
  CHECK(all[1].file == "/etc/network/interfaces");
  CHECK(all[1].line == 2);
}

TEST_CASE("a line that a reader takes for nothing is a statement", "[providers]") {
  const auto ifcfg = statements(
      {ifcfg_backend(), "/etc/sysconfig/network-scripts/ifcfg-enp1s0f0np0"},
      Of::port,
      "DEVICE=enp1s0f0np0\nMTU=9000\n/usr/sbin/ethtool -G $DEVICE rx 8192\n");
  CHECK(class_of(ifcfg, "line") == "not");
  CHECK(ifcfg.back().line == 3);
}

constexpr Row kNetworkd[] = {
    // [Match]
    {Of::port, "Match.Type", "ether", "said"},
    {Of::port, "Match.Host", "pve1", ""},
    {Of::port, "Match.%", "1", ""},
    // [Link] of .network
    {Of::port, "Link.MTUBytes", "9000", "said"},
    {Of::port, "Link.MTUBytes", "4200", "otherwise: 9000"},
    {Of::port, "Link.MTUBytes", "9K", ""},
    {Of::port, "Link.RequiredForOnline", "no", "said"},
    {Of::port, "Link.RequiredForOnline", "yes", ""},
    {Of::port, "Link.MACAddress", "02:00:00:00:00:01", ""},
    {Of::port, "Link.ARP", "no", ""},
    {Of::port, "Link.Multicast", "no", ""},
    {Of::port, "Link.AllMulticast", "yes", ""},
    {Of::port, "Link.Promiscuous", "yes", ""},
    {Of::port, "Link.Unmanaged", "yes", ""},
    {Of::port, "Link.Group", "1", ""},
    {Of::port, "Link.RequiredFamilyForOnline", "ipv4", ""},
    {Of::port, "Link.ActivationPolicy", "manual", ""},
    {Of::port, "Link.%", "1", ""},
    // [SR-IOV]
    {Of::port, "SR-IOV.VirtualFunction", "0", ""},
    {Of::port, "SR-IOV.VLANId", "7", ""},
    {Of::port, "SR-IOV.QualityOfService", "7", ""},
    {Of::port, "SR-IOV.VLANProtocol", "802.1ad", ""},
    {Of::port, "SR-IOV.MACSpoofCheck", "no", ""},
    {Of::port, "SR-IOV.QueryReceiveSideScaling", "no", ""},
    {Of::port, "SR-IOV.Trust", "yes", ""},
    {Of::port, "SR-IOV.LinkState", "auto", ""},
    {Of::port, "SR-IOV.MACAddress", "02:00:00:00:00:01", ""},
    {Of::port, "SR-IOV.%", "1", ""},
    // [Network]
    {Of::port, "Network.Description", "storage", "said"},
    {Of::port, "Network.Address", "10.30.0.1/24", "said"},
    {Of::port, "Network.Address", "10.99.0.1/24", "otherwise: 10.30.0.1/24"},
    {Of::slave, "Network.Address", "10.99.0.1/24", ""},
    {Of::port,
     "Network.Gateway",
     "10.30.0.254",
     "sayable: networks: {storage: {ipv4: {gateway: \"10.30.0.254\"}}}"},
    {Of::port, "Network.DHCP", "no", "said"},
    {Of::port, "Network.DHCP", "yes", ""},
    {Of::port, "Network.DHCPServer", "yes", ""},
    {Of::port, "Network.LinkLocalAddressing", "no", "said"},
    {Of::port, "Network.LinkLocalAddressing", "ipv6", ""},
    {Of::port, "Network.IPv6AcceptRA", "no", "said"},
    {Of::port, "Network.IPv6AcceptRA", "yes", ""},
    {Of::port, "Network.ConfigureWithoutCarrier", "yes", "said"},
    {Of::port, "Network.ConfigureWithoutCarrier", "no", ""},
    {Of::port, "Network.IgnoreCarrierLoss", "no", ""},
    {Of::port, "Network.KeepConfiguration", "yes", ""},
    {Of::slave, "Network.Bond", "bond0", "said"},
    {Of::slave, "Network.Bond", "bond9", ""},
    {Of::slave, "Network.PrimarySlave", "no", "said"},
    {Of::slave, "Network.PrimarySlave", "yes", "sayable: networks: {storage: {lag: {primary: 1}}}"},
    {Of::slave, "Network.ActiveSlave", "yes", ""},
    {Of::port, "Network.Bridge", "br0", ""},
    {Of::bond, "Network.VLAN", "bond0.100", "said"},
    {Of::bond, "Network.VLAN", "bond0.200", ""},
    {Of::port, "Network.VRF", "blue", ""},
    {Of::port, "Network.MACVLAN", "m0", ""},
    {Of::port, "Network.IPoIB", "ib0.8001", ""},
    {Of::port, "Network.VXLAN", "v0", ""},
    {Of::port, "Network.Tunnel", "t0", ""},
    {Of::port, "Network.LLDP", "yes", ""},
    {Of::port, "Network.EmitLLDP", "yes", ""},
    {Of::port, "Network.DNS", "10.30.0.254", ""},
    {Of::port, "Network.Domains", "example.org", ""},
    {Of::port, "Network.DNSDefaultRoute", "no", ""},
    {Of::port, "Network.NTP", "10.30.0.254", ""},
    {Of::port, "Network.LLMNR", "no", ""},
    {Of::port, "Network.MulticastDNS", "no", ""},
    {Of::port, "Network.IPForward", "yes", ""},
    {Of::port, "Network.IPMasquerade", "ipv4", ""},
    {Of::port, "Network.IPv6PrivacyExtensions", "yes", ""},
    {Of::port, "Network.IPv6SendRA", "yes", ""},
    {Of::port, "Network.IPv6LinkLocalAddressGenerationMode", "none", ""},
    {Of::port, "Network.IPv6MTUBytes", "1280", ""},
    {Of::port, "Network.IPv4LLRoute", "yes", ""},
    {Of::port, "Network.DefaultRouteOnDevice", "yes", ""},
    {Of::port, "Network.IPv4ProxyARP", "yes", ""},
    {Of::port, "Network.%", "1", ""},
    // [Address], [Route], [RoutingPolicyRule] and all other sections
    {Of::port, "Address.Address", "10.30.0.1/24", "said"},
    {Of::port, "Address.%", "1", ""},
    {Of::port,
     "Route.Gateway",
     "10.30.0.254",
     "sayable: networks: {storage: {ipv4: {gateway: \"10.30.0.254\"}}}"},
    {Of::port, "Route.Destination", "10.9.0.0/16", ""},
    {Of::port, "Route.%", "1", ""},
    {Of::port, "RoutingPolicyRule.From", "10.30.0.1", ""},
    {Of::port, "RoutingPolicyRule.%", "1", ""},
    {Of::port, "Neighbor.Address", "10.30.0.2", ""},
    {Of::port, "NextHop.Gateway", "10.30.0.2", ""},
    {Of::port, "DHCPv4.UseDNS", "no", ""},
    {Of::port, "IPv6AcceptRA.UseDNS", "no", ""},
    {Of::port, "BridgeVLAN.VLAN", "10", ""},
    {Of::port, "QDisc.Parent", "clsact", ""},
    {Of::port, "FairQueueing.PacketLimit", "1", ""},
    {Of::port, "IPoIB.Mode", "connected", ""},
    {Of::port, "%.%", "1", ""},
    // .netdev
    {Of::bond, "NetDev.Description", "storage", "said"},
    {Of::bond, "NetDev.MTUBytes", "9000", "said"},
    {Of::bond, "NetDev.MACAddress", "02:00:00:00:00:01", ""},
    {Of::bond, "NetDev.%", "1", ""},
    {Of::bond, "Bond.Mode", "802.3ad", "said"},
    {Of::bond, "Bond.Mode", "active-backup", "otherwise: 802.3ad"},
    {Of::bond,
     "Bond.TransmitHashPolicy",
     "layer3+4",
     "sayable: networks: {storage: {lag: {hash_policy: layer3+4}}}"},
    {Of::bond, "Bond.LACPTransmitRate", "fast", "otherwise: slow"},
    {Of::bond, "Bond.MIIMonitorSec", "100ms", "said"},
    {Of::bond, "Bond.MIIMonitorSec", "0.1s", "said"},
    {Of::bond, "Bond.MIIMonitorSec", "1s", "otherwise: 100"},
    {Of::bond, "Bond.UpDelaySec", "200ms", "sayable: networks: {storage: {lag: {updelay: 200}}}"},
    {Of::bond, "Bond.DownDelaySec", "1", "sayable: networks: {storage: {lag: {downdelay: 1000}}}"},
    {Of::bond,
     "Bond.AdSelect",
     "bandwidth",
     "sayable: networks: {storage: {lag: {ad_select: bandwidth}}}"},
    {Of::bond, "Bond.MinLinks", "2", "sayable: networks: {storage: {lag: {min_links: 2}}}"},
    {Of::bond, "Bond.LearnPacketIntervalSec", "1", ""},
    {Of::bond, "Bond.AdActorSystemPriority", "1", ""},
    {Of::bond, "Bond.AdUserPortKey", "1", ""},
    {Of::bond, "Bond.AdActorSystem", "02:00:00:00:00:01", ""},
    {Of::bond, "Bond.FailOverMACPolicy", "active", ""},
    {Of::bond, "Bond.ARPValidate", "all", ""},
    {Of::bond, "Bond.ARPIntervalSec", "1", ""},
    {Of::bond, "Bond.ARPIPTargets", "10.30.0.254", ""},
    {Of::bond, "Bond.ARPAllTargets", "all", ""},
    {Of::bond, "Bond.PrimaryReselectPolicy", "always", ""},
    {Of::bond, "Bond.ResendIGMP", "1", ""},
    {Of::bond, "Bond.PacketsPerSlave", "1", ""},
    {Of::bond, "Bond.GratuitousARP", "1", ""},
    {Of::bond, "Bond.AllSlavesActive", "yes", ""},
    {Of::bond, "Bond.DynamicTransmitLoadBalancing", "yes", ""},
    {Of::bond, "Bond.%", "1", ""},
    {Of::vlan, "VLAN.Id", "100", "said"},
    {Of::vlan, "VLAN.Id", "200", "otherwise: 100"},
    {Of::vlan, "VLAN.Protocol", "802.1ad", ""},
    {Of::vlan, "VLAN.GVRP", "yes", ""},
    {Of::vlan, "VLAN.MVRP", "yes", ""},
    {Of::vlan, "VLAN.LooseBinding", "yes", ""},
    {Of::vlan, "VLAN.ReorderHeader", "no", ""},
    {Of::vlan, "VLAN.EgressQOSMaps", "0-7", ""},
    {Of::vlan, "VLAN.IngressQOSMaps", "0-7", ""},
    {Of::vlan, "VLAN.%", "1", ""}};

TEST_CASE("every key of systemd.network(5) and systemd.netdev(5) has a class", "[providers]") {
  for (const Row& row : kNetworkd) {
    const std::string key = row.key;
    const std::size_t dot = key.find('.');
    const std::string section = key.substr(0, dot);
    const bool netdev = section == "NetDev" || section == "Bond" || section == "VLAN";
    const std::string head = netdev ? "[NetDev]\nName=" + name_of(row.of) +
                                          "\nKind=" + (row.of == Of::vlan ? "vlan" : "bond") + "\n"
                                    : "[Match]\nName=" + name_of(row.of) + "\n";
    const std::string content =
        head + "[" + section + "]\n" + key.substr(dot + 1) + "=" + row.value + "\n";
    INFO(content);
    const Format format{
        networkd_backend(),
        std::string{"/etc/systemd/network/05-theirs."} + (netdev ? "netdev" : "network")};
    CHECK(class_of(statements(format, row.of, content), row.key) == expected(row));
  }
}

TEST_CASE("a section of networkd that stands several times is judged as one", "[providers]") {
  const Format format{networkd_backend(), "/etc/systemd/network/05-theirs.network"};
  const std::string head = "[Match]\nName=enp1s0f0np0\n";
  const auto plain = statements(
      format, Of::port, head + "[Route]\nDestination=10.9.0.0/16\nGateway=10.30.0.254\n");
  CHECK(
      class_of(plain, "Route.Destination") ==
      "sayable: networks: {storage: {ipv4: {routes: [{to: \"10.9.0.0/16\", via: "
      "\"10.30.0.254\"}]}}}");
  CHECK(class_of(plain, "Route.Gateway") == class_of(plain, "Route.Destination"));
  const auto more = statements(
      format,
      Of::port,
      head +
          "[Route]\nDestination=10.9.0.0/16\nGateway=10.30.0.254\nTable=7\n"
          "[Address]\nAddress=10.30.0.1/24\nPeer=10.30.0.2\n");
  for (const char* key :
       {"Route.Destination", "Route.Gateway", "Route.Table", "Address.Address", "Address.Peer"})
    CHECK(class_of(more, key) == "not");
}

TEST_CASE("a drop-in of a file that goes is told with it", "[providers]") {
  bonding::Node node;
  const std::string path = "/etc/systemd/network/05-theirs.network";
  const std::string content = "[Match]\nName=enp1s0f0np0\n";
  node.files = bonding::as_files(path, content) +
               bonding::as_files(path + ".d/more.conf", "[Network]\nDNS=10.30.0.254\n");
  const NodeFacts facts = node.facts();
  const LinkTarget target =
      find_link(wanted(Of::port), inventory_of(facts), running_links(facts)).target;
  const auto read = file_statements(target, {path, 2}, network_files(facts));
  REQUIRE(read.size() == 2);
  CHECK(read[1].file == path + ".d/more.conf");
  CHECK(read[1].line == 2);
  CHECK(read[1].key == "Network.DNS");
}

constexpr Row kKeyfile[] = {
    {Of::port, "connection.uuid", "1", "said"},
    {Of::port, "connection.timestamp", "1", "said"},
    {Of::port, "connection.permissions", "", "said"},
    {Of::port, "connection.permissions", "user:x:", ""},
    {Of::port, "connection.autoconnect", "true", "said"},
    {Of::port, "connection.autoconnect-priority", "7", ""},
    {Of::port, "connection.autoconnect-retries", "7", ""},
    {Of::port, "connection.zone", "trusted", ""},
    {Of::port, "connection.mdns", "1", ""},
    {Of::port, "connection.llmnr", "1", ""},
    {Of::port, "connection.lldp", "1", ""},
    {Of::port, "connection.metered", "1", ""},
    {Of::port, "connection.mud-url", "x", ""},
    {Of::port, "connection.secondaries", "x", ""},
    {Of::port, "connection.wait-device-timeout", "1", ""},
    {Of::port, "connection.dns-over-tls", "1", ""},
    {Of::slave, "connection.master", "bond0", "said"},
    {Of::slave, "connection.controller", "bond0", "said"},
    {Of::slave, "connection.slave-type", "bond", "said"},
    {Of::slave, "connection.slave-type", "team", ""},
    {Of::bond, "connection.autoconnect-slaves", "1", "said"},
    {Of::bond, "connection.autoconnect-slaves", "0", ""},
    {Of::port, "connection.%", "1", ""},
    {Of::port, "ethernet.mtu", "9000", "said"},
    {Of::port, "802-3-ethernet.mtu", "4200", "otherwise: 9000"},
    {Of::port, "ethernet.mac-address", "02:00:00:00:00:01", "said"},
    {Of::port, "ethernet.cloned-mac-address", "02:00:00:00:00:01", ""},
    {Of::port, "ethernet.mac-address-blacklist", "02:00:00:00:00:01", ""},
    {Of::port, "ethernet.auto-negotiate", "true", ""},
    {Of::port, "ethernet.duplex", "full", ""},
    {Of::port, "ethernet.speed", "100000", ""},
    {Of::port, "ethernet.wake-on-lan", "64", ""},
    {Of::port, "ethernet.accept-all-mac-addresses", "1", ""},
    {Of::port, "ethernet.%", "1", ""},
    {Of::bond, "bond.mode", "4", "said"},
    {Of::bond, "bond.miimon", "100", "said"},
    {Of::bond, "bond.updelay", "200", "sayable: networks: {storage: {lag: {updelay: 200}}}"},
    {Of::bond, "bond.downdelay", "200", "sayable: networks: {storage: {lag: {downdelay: 200}}}"},
    {Of::bond, "bond.lacp_rate", "fast", "otherwise: slow"},
    {Of::bond,
     "bond.xmit_hash_policy",
     "layer3+4",
     "sayable: networks: {storage: {lag: {hash_policy: layer3+4}}}"},
    {Of::bond, "bond.min_links", "2", "sayable: networks: {storage: {lag: {min_links: 2}}}"},
    {Of::bond,
     "bond.ad_select",
     "count",
     "sayable: networks: {storage: {lag: {ad_select: count}}}"},
    {Of::bond, "bond.arp_interval", "1", ""},
    {Of::bond, "bond.fail_over_mac", "1", ""},
    {Of::bond, "bond.primary_reselect", "1", ""},
    {Of::bond, "bond.%", "1", ""},
    {Of::vlan, "vlan.id", "100", "said"},
    {Of::vlan, "vlan.parent", "bond0", "said"},
    {Of::vlan, "vlan.flags", "1", "said"},
    {Of::vlan, "vlan.flags", "3", ""},
    {Of::vlan, "vlan.ingress-priority-map", "0:7", ""},
    {Of::vlan, "vlan.egress-priority-map", "0:7", ""},
    {Of::vlan, "vlan.protocol", "802.1ad", ""},
    {Of::vlan, "vlan.%", "1", ""},
    {Of::port, "sriov.total-vfs", "4", "said"},
    {Of::port, "sriov.total-vfs", "8", "otherwise: 4"},
    {Of::port, "sriov.autoprobe-drivers", "0", ""},
    {Of::port, "sriov.vf.0", "mac=02:00:00:00:00:01", ""},
    {Of::port, "sriov.%", "1", ""},
    {Of::port, "ipv4.method", "manual", "said"},
    {Of::port, "ipv4.method", "auto", ""},
    {Of::port, "ipv4.address1", "10.30.0.1/24", "said"},
    {Of::port, "ipv4.address1", "10.99.0.1/24", "otherwise: 10.30.0.1/24"},
    {Of::port, "ipv4.address1", "10.30.0.1;24;0.0.0.0;", "said"},
    {Of::port, "ipv4.addresses", "10.30.0.1/24", ""},
    {Of::port,
     "ipv4.gateway",
     "10.30.0.254",
     "sayable: networks: {storage: {ipv4: {gateway: \"10.30.0.254\"}}}"},
    {Of::port,
     "ipv4.route1",
     "10.9.0.0/16,10.30.0.254",
     "sayable: networks: {storage: {ipv4: {routes: [{to: \"10.9.0.0/16\", via: "
     "\"10.30.0.254\"}]}}}"},
    {Of::port, "ipv4.route1", "10.9.0.0/16,10.30.0.254,100", ""},
    {Of::port,
     "ipv4.route1",
     "0.0.0.0/0,10.30.0.254",
     "sayable: networks: {storage: {ipv4: {gateway: \"10.30.0.254\"}}}"},
    {Of::port, "ipv4.routing-rule1", "priority 7 from 10.30.0.1 table 7", ""},
    {Of::port, "ipv4.dns", "10.30.0.254;", ""},
    {Of::port, "ipv4.dns-search", "", "said"},
    {Of::port, "ipv4.dns-search", "example.org;", ""},
    {Of::port, "ipv4.dns-priority", "1", ""},
    {Of::port, "ipv4.never-default", "true", ""},
    {Of::port, "ipv4.may-fail", "false", ""},
    {Of::port, "ipv4.route-metric", "7", ""},
    {Of::port, "ipv4.route-table", "7", ""},
    {Of::port, "ipv4.ignore-auto-dns", "true", ""},
    {Of::port, "ipv4.dhcp-client-id", "x", ""},
    {Of::port, "ipv4.link-local", "2", ""},
    {Of::port, "ipv4.%", "1", ""},
    {Of::port, "ipv6.method", "disabled", "said"},
    {Of::port, "ipv6.method", "ignore", "said"},
    {Of::port, "ipv6.method", "auto", ""},
    {Of::port, "ipv6.addr-gen-mode", "stable-privacy", ""},
    {Of::port, "ipv6.ip6-privacy", "2", ""},
    {Of::port, "ipv6.token", "::1", ""},
    {Of::port, "ipv6.%", "1", ""},
    {Of::port, "ethtool.ring-rx", "8192", ""},
    {Of::port, "ethtool.feature-gro", "false", ""},
    {Of::port, "ethtool.%", "1", ""},
    {Of::port, "tc.qdisc.root", "fq", ""},
    {Of::port, "dcb.app-fcoe-flags", "1", ""},
    {Of::port, "802-1x.eap", "tls", ""},
    {Of::port, "proxy.method", "1", ""},
    {Of::port, "user.x", "1", ""},
    {Of::port, "match.kernel-command-line", "x", ""},
    {Of::port, "%.%", "1", ""}};

TEST_CASE("every key of nm-settings-keyfile(5) has a class", "[providers]") {
  for (const Row& row : kKeyfile) {
    const std::string key = row.key;
    const std::size_t dot = key.find('.');
    const char* type = row.of == Of::bond ? "bond" : row.of == Of::vlan ? "vlan" : "ethernet";
    const std::string content = "[connection]\nid=theirs\ntype=" + std::string{type} +
                                "\ninterface-name=" + name_of(row.of) + "\n[" + key.substr(0, dot) +
                                "]\n" + key.substr(dot + 1) + "=" + row.value + "\n";
    INFO(content);
    const Format format{
        keyfile_backend(), "/etc/NetworkManager/system-connections/theirs.nmconnection"};
    const std::string shown =
        key.starts_with("802-3-ethernet") ? "ethernet" + key.substr(dot) : key;
    CHECK(class_of(statements(format, row.of, content), shown) == expected(row));
  }
}

TEST_CASE("an address of an older keyfile has its gateway too", "[providers]") {
  const std::string content =
      "[connection]\nid=theirs\ntype=ethernet\ninterface-name=enp1s0f0np0\n"
      "[ipv4]\naddress1=10.30.0.1;24;10.30.0.254;\n";
  const Format format{
      keyfile_backend(), "/etc/NetworkManager/system-connections/theirs.nmconnection"};
  const std::vector<Statement> all = statements(format, Of::port, content);
  CHECK(std::count_if(all.begin(), all.end(), [](const Statement& each) {
          return each.key == "ipv4.address1" && each.said == StatementClass::sayable &&
                 each.instead.find("gateway: \"10.30.0.254\"") != std::string::npos;
        }) == 1);
}

TEST_CASE("profiles that name others by UUID mean their interfaces", "[providers]") {
  const std::string folder = "/etc/NetworkManager/system-connections/";
  const FileTexts files{
      {folder + "bond.nmconnection",
       "[connection]\nid=b\nuuid=1111\ntype=bond\ninterface-name=bond0\n"},
      {folder + "port.nmconnection", "[connection]\nid=p\ntype=ethernet\nmaster=1111\n"},
      {folder + "vlan.nmconnection",
       "[connection]\nid=v\ntype=vlan\n[vlan]\nid=300\nparent=1111\n"}};
  const auto meaning = [&](const char* file, std::string_view attribute) -> std::string {
    for (const FileStatement& each : keyfile_statements({folder + file}, files))
      if (each.attribute == attribute) return each.meaning;
    return "none";
  };
  CHECK(meaning("port.nmconnection", said::kMaster) == "bond0");
  CHECK(meaning("vlan.nmconnection", "parent") == "bond0");
  CHECK(meaning("bond.nmconnection", said::kChildren) == "300 ");
  CHECK(meaning("port.nmconnection", said::kChildren) == "none");
}

TEST_CASE("lines of netplan that may hold secrets, and its drop-ins, have a class", "[providers]") {
  LinkTarget target{*ResourceAddress::parse("n1/interface/cx5.1")};
  target.name = "enp1s0f0np0";
  const std::string path = "/etc/netplan/60-theirs.yaml";
  const std::string drop_in = "/etc/systemd/network/10-netplan-enp1s0f0np0.network.d/more.conf";
  const FileTexts files{
      {path,
       "network:\n  ethernets:\n    eno1: {dhcp4: true}\n    enp1s0f0np0:\n      dhcp4: false\n"
       "      auth:\n        # (hidden)\n      # (hidden)\n    eno2: {}\n"},
      {drop_in, "[Network]\nAddress=10.99.7.4/24\n"}};
  const std::vector<ForeignEntry> entries = netplan_backend().foreign(target, files);
  std::vector<std::string> lost;
  for (const ForeignEntry& entry : entries) {
    for (const FileStatement& each : file_statements(target, entry, files))
      if (each.attribute != said::kNothing)
        lost.push_back(fmt::format("{}:{} {} {}", each.file, each.line, each.key, each.value));
  }
  CHECK(std::find(lost.begin(), lost.end(), path + ":7 line (hidden)") != lost.end());
  CHECK(std::find(lost.begin(), lost.end(), path + ":8 line (hidden)") != lost.end());
  CHECK(
      std::find(lost.begin(), lost.end(), drop_in + ":2 Network.Address 10.99.7.4/24") !=
      lost.end());
  REQUIRE_FALSE(entries.empty());
  CHECK(entries.front().last_line == 8);
}

constexpr Row kIfcfg[] = {
    {Of::port, "NAME", "theirs", "said"},
    {Of::port, "UUID", "1", "said"},
    {Of::port, "TYPE", "Ethernet", "said"},
    {Of::port, "HWADDR", "02:00:00:00:00:01", "said"},
    {Of::port, "ONBOOT", "yes", "said"},
    {Of::port, "ONBOOT", "no", ""},
    {Of::port, "BOOTPROTO", "none", "said"},
    {Of::port, "BOOTPROTO", "static", "said"},
    {Of::port, "BOOTPROTO", "dhcp", ""},
    {Of::port, "NM_CONTROLLED", "yes", "said"},
    {Of::port, "NM_CONTROLLED", "no", ""},
    {Of::port, "USERCTL", "no", "said"},
    {Of::port, "PEERDNS", "no", "said"},
    {Of::port, "PEERDNS", "yes", ""},
    {Of::port, "PEERROUTES", "no", ""},
    {Of::port, "PROXY_METHOD", "none", "said"},
    {Of::port, "BROWSER_ONLY", "no", "said"},
    {Of::port, "DEFROUTE", "yes", "said"},
    {Of::port, "DEFROUTE", "no", ""},
    {Of::port, "IPV4_FAILURE_FATAL", "no", "said"},
    {Of::port, "IPADDR", "10.99.0.1", "otherwise: 10.30.0.1/24"},
    {Of::slave, "IPADDR", "10.99.0.1", ""},
    {Of::port,
     "GATEWAY",
     "10.30.0.254",
     "sayable: networks: {storage: {ipv4: {gateway: \"10.30.0.254\"}}}"},
    {Of::port, "IPV6INIT", "no", "said"},
    {Of::port, "IPV6INIT", "yes", ""},
    {Of::port, "IPV6_AUTOCONF", "no", "said"},
    {Of::port, "IPV6_AUTOCONF", "yes", ""},
    {Of::port, "IPV6_PRIVACY", "rfc3041", ""},
    {Of::port,
     "IPV6ADDR",
     "fd00:9::1/64",
     "sayable: networks: {storage: {ipv6: {subnet: \"fd00:9::/64\", addresses: {pve1/cx5/1: "
     "\"fd00:9::1\"}}}}"},
    {Of::port, "MTU", "9000", "said"},
    {Of::port, "MTU", "4200", "otherwise: 9000"},
    {Of::port, "DNS1", "10.30.0.254", ""},
    {Of::port, "DOMAIN", "example.org", ""},
    {Of::port, "ETHTOOL_OPTS", "-G x rx 8192", ""},
    {Of::port, "ETHTOOL_DELAY", "1", ""},
    {Of::port, "MACADDR", "02:00:00:00:00:01", ""},
    {Of::port, "ARPCHECK", "no", ""},
    {Of::port, "ARPUPDATE", "no", ""},
    {Of::port, "HOTPLUG", "no", ""},
    {Of::port, "LINKDELAY", "5", ""},
    {Of::port, "METRIC", "5", ""},
    {Of::port, "SCOPE", "link", ""},
    {Of::port, "SRCADDR", "10.30.0.1", ""},
    {Of::port, "ZONE", "trusted", ""},
    {Of::port, "BRIDGE", "br0", ""},
    {Of::port, "DHCP_HOSTNAME", "x", ""},
    {Of::port, "PERSISTENT_DHCLIENT", "1", ""},
    {Of::port, "ISALIAS", "no", ""},
    {Of::port, "NOZEROCONF", "yes", ""},
    {Of::port, "ROUTING_RULE_1", "priority 7 from 10.30.0.1 table 7", ""},
    {Of::slave, "MASTER", "bond0", "said"},
    {Of::slave, "SLAVE", "yes", "said"},
    {Of::bond, "BONDING_MASTER", "yes", "said"},
    {Of::bond, "BONDING_OPTS.mode", "4", "said"},
    {Of::bond, "BONDING_OPTS.miimon", "100", "said"},
    {Of::bond, "BONDING_OPTS.lacp_rate", "fast", "otherwise: slow"},
    {Of::bond,
     "BONDING_OPTS.xmit_hash_policy",
     "1",
     "sayable: networks: {storage: {lag: {hash_policy: layer3+4}}}"},
    {Of::bond,
     "BONDING_OPTS.min_links",
     "2",
     "sayable: networks: {storage: {lag: {min_links: 2}}}"},
    {Of::bond,
     "BONDING_OPTS.ad_select",
     "1",
     "sayable: networks: {storage: {lag: {ad_select: bandwidth}}}"},
    {Of::bond, "BONDING_OPTS.arp_interval", "1", ""},
    {Of::bond, "BONDING_OPTS.fail_over_mac", "1", ""},
    {Of::bond, "BONDING_OPTS.%", "1", ""},
    {Of::vlan, "VLAN", "yes", "said"},
    {Of::vlan, "VLAN_ID", "100", "said"},
    {Of::vlan, "PHYSDEV", "bond0", "said"},
    {Of::vlan, "REORDER_HDR", "no", ""},
    {Of::vlan, "GVRP", "yes", ""},
    {Of::port, "MADE_UP", "1", ""}};

TEST_CASE("every key of ifcfg files has a class", "[providers]") {
  for (const Row& row : kIfcfg) {
    const std::string key = row.key;
    std::string line = key + "=\"" + row.value + "\"\n";
    if (key.starts_with("BONDING_OPTS."))
      line = "BONDING_OPTS=\"" + key.substr(key.find('.') + 1) + "=" + row.value + "\"\n";
    if (key == "IPADDR") line += "NETMASK=255.255.255.0\n";
    const std::string content = "DEVICE=" + name_of(row.of) + "\n" + line;
    INFO(content);
    const Format format{ifcfg_backend(), "/etc/sysconfig/network-scripts/ifcfg-" + name_of(row.of)};
    CHECK(class_of(statements(format, row.of, content), row.key) == expected(row));
  }
}

constexpr Row kNetplan[] = {
    {Of::port, "renderer", "networkd", ""},
    {Of::port, "dhcp4", "false", "said"},
    {Of::port, "dhcp4", "true", ""},
    {Of::port, "dhcp6", "no", "said"},
    {Of::port, "ipv6-mtu", "1280", ""},
    {Of::port, "ipv6-privacy", "true", ""},
    {Of::port, "link-local", "[]", "said"},
    {Of::port, "link-local", "[ipv4]", ""},
    {Of::port, "ignore-carrier", "true", ""},
    {Of::port, "critical", "true", ""},
    {Of::port, "dhcp-identifier", "mac", ""},
    {Of::port, "dhcp4-overrides.use-dns", "false", ""},
    {Of::port, "accept-ra", "false", "said"},
    {Of::port, "accept-ra", "true", ""},
    {Of::port, "addresses", "[10.30.0.1/24]", "said"},
    {Of::port, "addresses", "[10.99.0.1/24]", "otherwise: 10.30.0.1/24"},
    {Of::port, "addresses", "[{10.30.0.1/24: {label: x}}]", "said"},
    {Of::port, "ipv6-address-generation", "eui64", ""},
    {Of::port,
     "gateway4",
     "10.30.0.254",
     "sayable: networks: {storage: {ipv4: {gateway: \"10.30.0.254\"}}}"},
    {Of::port, "nameservers.addresses", "[10.30.0.254]", ""},
    {Of::port, "macaddress", "02:00:00:00:00:01", ""},
    {Of::port, "mtu", "9000", "said"},
    {Of::port, "optional", "true", "said"},
    {Of::port, "optional", "false", ""},
    {Of::port, "optional-addresses", "[dhcp4]", ""},
    {Of::port, "activation-mode", "manual", ""},
    {Of::port,
     "routes",
     "[{to: 10.9.0.0/16, via: 10.30.0.254}]",
     "sayable: networks: {storage: {ipv4: {routes: [{to: \"10.9.0.0/16\", via: "
     "\"10.30.0.254\"}]}}}"},
    {Of::port, "routes", "[{to: 10.9.0.0/16, via: 10.30.0.254, table: 100}]", ""},
    {Of::port, "routing-policy", "[{from: 10.30.0.1, table: 100}]", ""},
    {Of::port, "neigh-suppress", "true", ""},
    {Of::port, "set-name", "enp1s0f0np0", "said"},
    {Of::port, "wakeonlan", "true", ""},
    {Of::port, "emit-lldp", "true", ""},
    {Of::port, "receive-checksum-offload", "true", ""},
    {Of::port, "generic-receive-offload", "false", ""},
    {Of::port, "virtual-function-count", "4", "said"},
    {Of::port, "virtual-function-count", "8", "otherwise: 4"},
    {Of::port, "embedded-switch-mode", "switchdev", ""},
    {Of::port, "delay-virtual-functions-rebind", "true", ""},
    {Of::port, "auth.key-management", "802.1x", ""},
    {Of::port,
     "openvswitch.external-ids",
     "{x: y}",
     "nothing is known of openvswitch.external-ids"},
    {Of::port, "networkmanager.uuid", "x", ""},
    {Of::port, "%", "1", ""},
    {Of::bond, "interfaces", "[enp1s0f0np0, enp1s0f1np1]", "said"},
    {Of::bond, "parameters.mode", "802.3ad", "said"},
    {Of::bond, "parameters.lacp-rate", "fast", "otherwise: slow"},
    {Of::bond, "parameters.mii-monitor-interval", "100", "said"},
    {Of::bond, "parameters.mii-monitor-interval", "1s", "otherwise: 100"},
    {Of::bond, "parameters.min-links", "2", "sayable: networks: {storage: {lag: {min_links: 2}}}"},
    {Of::bond,
     "parameters.transmit-hash-policy",
     "layer3+4",
     "sayable: networks: {storage: {lag: {hash_policy: layer3+4}}}"},
    {Of::bond,
     "parameters.ad-select",
     "bandwidth",
     "sayable: networks: {storage: {lag: {ad_select: bandwidth}}}"},
    {Of::bond, "parameters.up-delay", "200", "sayable: networks: {storage: {lag: {updelay: 200}}}"},
    {Of::bond,
     "parameters.down-delay",
     "200",
     "sayable: networks: {storage: {lag: {downdelay: 200}}}"},
    {Of::bond, "parameters.all-members-active", "true", ""},
    {Of::bond, "parameters.all-slaves-active", "true", ""},
    {Of::bond, "parameters.arp-interval", "1", ""},
    {Of::bond, "parameters.arp-ip-targets", "[10.30.0.254]", ""},
    {Of::bond, "parameters.arp-validate", "all", ""},
    {Of::bond, "parameters.arp-all-targets", "all", ""},
    {Of::bond, "parameters.fail-over-mac-policy", "active", ""},
    {Of::bond, "parameters.gratuitous-arp", "1", ""},
    {Of::bond, "parameters.packets-per-member", "1", ""},
    {Of::bond, "parameters.primary-reselect-policy", "always", ""},
    {Of::bond, "parameters.resend-igmp", "1", ""},
    {Of::bond, "parameters.learn-packet-interval", "1", ""},
    {Of::bond, "parameters.%", "1", ""},
    {Of::vlan, "id", "100", "said"},
    {Of::vlan, "link", "bond0", "said"}};

TEST_CASE("every key of netplan(5) has a class", "[providers]") {
  for (const Row& row : kNetplan) {
    const std::string key = row.key;
    const std::size_t dot = key.find('.');
    const char* section = row.of == Of::bond ? "bonds" : row.of == Of::vlan ? "vlans" : "ethernets";
    std::string content = std::string{"network:\n  version: 2\n  "} + section + ":\n    " +
                          name_of(row.of) + ":\n      mtu: 9000\n";
    if (key == "mtu") content.resize(content.size() - std::string{"      mtu: 9000\n"}.size());
    const std::string last = key == "%" || key == "parameters.%" ? "\"%\"" : key.substr(dot + 1);
    content += dot == std::string::npos
                   ? "      " + (key == "%" ? last : key) + ": " + row.value + "\n"
                   : "      " + key.substr(0, dot) + ":\n        " + last + ": " + row.value + "\n";
    INFO(content);
    const Format format{netplan_backend(), "/etc/netplan/60-theirs.yaml"};
    CHECK(class_of(statements(format, row.of, content), row.key) == expected(row));
    if (content.find("label") != std::string::npos)
      CHECK(class_of(statements(format, row.of, content), "addresses.label") == "not");
  }
}

// A key counts where the best of its values stands.
std::string counted(const char* format, std::span<const Row> rows) {
  std::map<std::string, std::size_t> best;
  for (const Row& row : rows) {
    const std::string_view said = row.expected;
    const std::size_t at = said.starts_with("said") || said.starts_with("otherwise") ? 0
                           : said.starts_with("sayable")                             ? 1
                                                                                     : 2;
    std::size_t& known = best.try_emplace(row.key, at).first->second;
    known = std::min(known, at);
  }
  std::size_t counts[3] = {};
  for (const auto& [key, at] : best)
    ++counts[at];
  return fmt::format(
      "| {} | {} | {} | {} | {} |\n", format, best.size(), counts[0], counts[1], counts[2]);
}

std::string counted_options() {
  std::size_t counts[3] = {};
  std::size_t all = 0;
  for (const std::string_view line : split_lines(lab::commands::kOpensmDefaults)) {
    const OpensmOptionClass is = opensm_option_rule(line.substr(0, line.find(' '))).is;
    ++counts[is == OpensmOptionClass::decided ? 0 : is == OpensmOptionClass::settable ? 1 : 2];
    ++all;
  }
  return fmt::format("| `opensm` | {} | {} | {} | {} |\n", all, counts[0], counts[1], counts[2]);
}

TEST_CASE("the guide has how many keys of each format are in which class", "[providers]") {
  const std::string table = counted("`interfaces`", kInterfaces) +
                            counted("`networkd`", kNetworkd) + counted("`netplan`", kNetplan) +
                            counted("`keyfile`", kKeyfile) + counted("`ifcfg`", kIfcfg) +
                            counted_options();
  INFO(table);
  const std::string guide = remote::test::read_text(
      std::string{FABRIC_TEST_DATA} + "/../../../docs/adopting-a-fabric.md");
  CHECK(guide.find(table) != std::string::npos);
}

}  // namespace
}  // namespace fabric::providers
