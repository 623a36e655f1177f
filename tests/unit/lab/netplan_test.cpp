// SPDX-License-Identifier: Apache-2.0
// netplan of the lab, against what netplan 0.106 answered to the same files.
#include "tests/support/catch.hpp"
#include "tests/unit/lab/bench_host.hpp"
#include "tests/unit/lab/pair_lab.hpp"

namespace fabric::lab {
namespace {

struct NetplanBench : BenchHost {
  NetplanBench() : BenchHost{{.name = "n1", .address = "192.0.2.11", .backend = "netplan"}} {}
  Answer generate(const std::string& text) {
    machine.state.files.install("/etc/netplan/60-test.yaml", text, 0600);
    return run("netplan generate");
  }
};

TEST_CASE("netplan writes what networkd and udev read", "[lab]") {
  NetplanBench host;
  const Answer done = host.generate(
      "network:\n  version: 2\n  ethernets:\n"
      "    p1: {mtu: 9000, link-local: [], optional: true, accept-ra: false,\n"
      "         addresses: [10.30.0.1/24], routes: [{to: default, via: 10.30.0.254},\n"
      "         {to: 10.30.0.0/24, scope: link, table: 4501, from: 10.30.0.1}],\n"
      "         routing-policy: [{from: 10.30.0.1, table: 4501, priority: 4501}]}\n"
      "    p2: {}\n"
      "  bonds:\n    b0: {interfaces: [p2], parameters: {mode: 802.3ad, primary: p2,\n"
      "         lacp-rate: fast, mii-monitor-interval: 100}}\n"
      "  vlans:\n    b0.7: {id: 7, link: b0}\n");
  CHECK(done == Answer{});
  const auto text = [&host](const std::string& name) {
    return host.run("cat /run/systemd/network/10-netplan-" + name).out;
  };
  CHECK(text("p1.link") == "[Match]\nOriginalName=p1\n\n[Link]\nWakeOnLan=off\nMTUBytes=9000\n");
  CHECK(
      text("p1.network") ==
      "[Match]\nName=p1\n\n[Link]\nRequiredForOnline=no\nMTUBytes=9000\n\n"
      "[Network]\nLinkLocalAddressing=no\nAddress=10.30.0.1/24\nIPv6AcceptRA=no\n\n"
      "[Route]\nDestination=0.0.0.0/0\nGateway=10.30.0.254\n\n"
      "[Route]\nDestination=10.30.0.0/24\nPreferredSource=10.30.0.1\nScope=link\nTable=4501\n\n"
      "[RoutingPolicyRule]\nFrom=10.30.0.1\nTable=4501\nPriority=4501\n");
  CHECK(
      text("p2.network") ==
      "[Match]\nName=p2\n\n[Network]\nLinkLocalAddressing=no\nBond=b0\nPrimarySlave=true\n");
  CHECK(
      text("b0.netdev") ==
      "[NetDev]\nName=b0\nKind=bond\n\n[Bond]\nMode=802.3ad\nLACPTransmitRate=fast\n"
      "MIIMonitorSec=100ms\n");
  CHECK(text("b0.7.netdev") == "[NetDev]\nName=b0.7\nKind=vlan\n\n[VLAN]\nId=7\n");
  CHECK(
      text("b0.network") ==
      "[Match]\nName=b0\n\n[Network]\nLinkLocalAddressing=ipv6\nConfigureWithoutCarrier=yes\n"
      "VLAN=b0.7\n");
}

TEST_CASE("netplan tells what is wrong with a file, and leaves what it made", "[lab]") {
  const std::string start = "network:\n  version: 2\n";
  const std::vector<std::pair<std::string, std::string>> wrong{
      {"  ethernets:\n    a:\n      mtuu: 9000\n",
       "/etc/netplan/60-test.yaml:5:7: Error in network definition: unknown key 'mtuu'\n"
       "      mtuu: 9000\n      ^\n"},
      {"  bonds:\n    b0: {interfaces: [zz]}\n",
       "/etc/netplan/60-test.yaml:4:23: Error in network definition: b0: interface 'zz' is not "
       "defined\n    b0: {interfaces: [zz]}\n                      ^\n"},
      {"  ethernets:\n    a: {mtu: x}\n",
       "/etc/netplan/60-test.yaml:4:14: Error in network definition: invalid unsigned int value "
       "'x'\n    a: {mtu: x}\n             ^\n"},
      {"  ethernets:\n    a: {addresses: [10.0.0.1]}\n",
       "/etc/netplan/60-test.yaml:4:20: Error in network definition: address '10.0.0.1' is missing "
       "/prefixlength\n    a: {addresses: [10.0.0.1]}\n                   ^\n"},
      {"  ethernets:\n    a: {}\n  bonds:\n    b0: {interfaces: [a]}\n    b1: {interfaces: [a]}\n",
       "/etc/netplan/60-test.yaml:7:22: Error in network definition: b1: interface 'a' is already "
       "assigned to bond b0\n    b1: {interfaces: [a]}\n                     ^\n"},
  };
  NetplanBench host;
  host.run("netplan generate");
  for (const auto& [text, message] : wrong) {
    const Answer refused = host.generate(start + text);
    CHECK(refused == Answer{1, "", message});
    CHECK(host.run("netplan apply").status == 78);
  }
  CHECK(host.run("ls /run/systemd/network").out == "10-netplan-eno1.network\n");
  CHECK(
      host.generate(start + "  ethernets:\n    a: [\n").err.find("Invalid YAML") !=
      std::string::npos);
}

TEST_CASE("netplan merges files in the order of their names", "[lab]") {
  NetplanBench host;
  host.machine.state.files.install(
      "/etc/netplan/50-first.yaml",
      "network:\n  ethernets:\n    a: {addresses: [10.0.0.1/24], mtu: 1500}\n");
  const Answer done = host.generate(
      "network:\n  ethernets:\n    a: {addresses: [10.0.0.2/24, 10.0.0.1/24], mtu: 9000}\n");
  CHECK(done.err.find("/etc/netplan/50-first.yaml are too open") != std::string::npos);
  const std::string text = host.run("cat /run/systemd/network/10-netplan-a.network").out;
  CHECK(text.find("MTUBytes=9000\n") != std::string::npos);
  CHECK(text.find("Address=10.0.0.1/24\nAddress=10.0.0.2/24\n") != std::string::npos);
  // What a file names stands in it, or in one before.
  const Answer early = host.generate("network:\n  bonds:\n    b0: {interfaces: [late]}\n");
  CHECK(early.status == 1);
}

TEST_CASE("netplan applies by networkd, and a boot does the same", "[lab]") {
  PairLab pair{"netplan"};
  for (int host = 1; host <= 2; ++host) {
    pair.exec(
        host,
        fmt::format(
            "umask 077; printf 'network:\\n  ethernets:\\n    enp1s0f0np0: {{}}\\n    "
            "enp1s0f1np1: {{}}\\n  bonds:\\n    bond0:\\n      interfaces: [enp1s0f0np0, "
            "enp1s0f1np1]\\n      addresses: [10.30.0.{}/24]\\n      parameters: {{mode: 802.3ad, "
            "mii-monitor-interval: 100}}\\n' >/etc/netplan/60-bond.yaml",
            host));
  }
  pair.both("netplan apply");
  CHECK(pair.passes());
  pair.reboot(1);
  CHECK(pair.passes());
  // A bond that went and comes again by a reload gets no ports, until networkd is started anew.
  pair.both("ip link delete bond0; netplan apply");
  CHECK_FALSE(pair.passes());
  pair.both("systemctl restart systemd-networkd");
  CHECK(pair.passes());
  // What no file says any more: the bond stays, as networkd leaves it.
  pair.both("rm /etc/netplan/60-bond.yaml; netplan apply");
  CHECK(pair.exec(1, "ip link show bond0").exit_status == 0);
  pair.reboot(1);
  CHECK(pair.exec(1, "ip link show bond0").exit_status == 1);
}

}  // namespace
}  // namespace fabric::lab
