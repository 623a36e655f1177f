// SPDX-License-Identifier: Apache-2.0
// Bonds and VLANs by the files of networkd and ifupdown.
#include "tests/unit/lab/pair_lab.hpp"

namespace fabric::lab {
namespace {

constexpr const char* kNetdev =
    "[NetDev]\nName=bond0\nKind=bond\n[Bond]\nMode=active-backup\nMIIMonitorSec=100ms\n";

void write_networkd(PairLab& pair, int host) {
  const auto file = [&](const std::string& name, const std::string& content) {
    pair.exec(
        host,
        "mkdir -p /etc/systemd/network/10-bond0.network.d; cat > /etc/systemd/network/" + name,
        content);
  };
  file("10-bond0.netdev", kNetdev);
  file(
      "10-bond0.network",
      "[Match]\nName=bond0\n[Link]\nMTUBytes=9000\n[Network]\nAddress=10.30.0." +
          std::to_string(host) + "/24\n");
  file(
      "10-ports.network", "[Match]\nName=enp1s0f*\n[Link]\nMTUBytes=9000\n[Network]\nBond=bond0\n");
  file("10-bond0.100.netdev", "[NetDev]\nName=bond0.100\nKind=vlan\n[VLAN]\nId=100\n");
  file(
      "10-bond0.100.network",
      "[Match]\nName=bond0.100\n[Link]\nMTUBytes=9000\n[Network]\nAddress=10.40.0." +
          std::to_string(host) + "/24\n");
  file("10-bond0.network.d/vlan.conf", "[Network]\nVLAN=bond0.100\n");
}

TEST_CASE("networkd makes bond and VLAN from their files, at reload and at boot", "[lab]") {
  PairLab pair;
  for (int host = 1; host <= 2; ++host) {
    write_networkd(pair, host);
    pair.exec(host, "networkctl reload");
  }
  const auto works = [&] {
    CHECK(pair.passes("-M do -s 8972"));
    CHECK(pair.exec(1, "ping -c 1 -W 1 -M do -s 8972 10.40.0.2").exit_status == 0);
    CHECK(pair.out(1, "cat /sys/class/net/bond0/bonding/slaves") == "enp1s0f0np0 enp1s0f1np1\n");
  };
  works();
  pair.reboot(1);
  works();
}

TEST_CASE("networkd leaves an existing device as it is, whatever its .netdev says", "[lab]") {
  PairLab pair;
  write_networkd(pair, 1);
  pair.exec(1, "networkctl reload");
  pair.exec(1, "sed -i s/active-backup/balance-xor/ /etc/systemd/network/10-bond0.netdev");
  pair.exec(1, "networkctl reload; networkctl reconfigure bond0");
  CHECK(pair.out(1, "cat /sys/class/net/bond0/bonding/mode") == "active-backup 1\n");
  pair.exec(1, "rm /etc/systemd/network/10-bond0.netdev; networkctl reload");
  CHECK(pair.exec(1, "test -e /sys/class/net/bond0").exit_status == 0);
  pair.exec(1, "cat > /etc/systemd/network/10-bond0.netdev", kNetdev);
  pair.exec(1, "ip link delete bond0; networkctl reload");
  CHECK(pair.out(1, "cat /sys/class/net/bond0/bonding/mode") == "active-backup 1\n");
  // The ports' files did not change: nobody puts them in again unasked.
  CHECK(pair.out(1, "cat /sys/class/net/bond0/bonding/slaves") == "\n");
  pair.exec(1, "networkctl reconfigure enp1s0f0np0 enp1s0f1np1");
  CHECK(pair.out(1, "cat /sys/class/net/bond0/bonding/slaves") == "enp1s0f0np0 enp1s0f1np1\n");
}

std::string stanzas(int host) {
  return "auto bond0\niface bond0 inet static\n    address 10.30.0." + std::to_string(host) +
         "/24\n    bond-slaves enp1s0f0np0 enp1s0f1np1\n    bond-mode 802.3ad\n    bond-miimon "
         "100\n    bond-lacp-rate fast\n    mtu 9000\nauto bond0.100\niface bond0.100 inet static\n"
         "    address 10.40.0." +
         std::to_string(host) + "/24\n    vlan-raw-device bond0\n    mtu 9000\n";
}

TEST_CASE("ifupdown ignores bond options without ifenslave", "[lab]") {
  PairLab pair{"ifupdown"};
  pair.exec(1, "cat > /etc/network/interfaces.d/bond0", stanzas(1));
  const ExecResult result = pair.exec(1, "ifup bond0");
  CHECK(result.exit_status == 1);
  CHECK(result.standard_error.find("Cannot find device \"bond0\"") != std::string::npos);
}

TEST_CASE(
    "ifupdown with ifenslave makes bond and VLAN, takes them down, and boots with them", "[lab]") {
  PairLab pair{"ifupdown"};
  for (int host = 1; host <= 2; ++host) {
    pair.exec(host, "apt-get -y install ifenslave");
    pair.exec(host, "cat > /etc/network/interfaces.d/bond0", stanzas(host));
    CHECK(pair.exec(host, "ifup bond0 && ifup bond0.100").exit_status == 0);
  }
  const auto works = [&] {
    CHECK(pair.passes("-M do -s 8972"));
    CHECK(pair.exec(1, "ping -c 1 -W 1 -M do -s 8972 10.40.0.2").exit_status == 0);
    CHECK(pair.proc("LACP rate") == "LACP rate: fast\n");
    CHECK(pair.proc("Number of ports") == "\tNumber of ports: 2\n");
  };
  works();
  pair.exec(1, "ifdown bond0.100; ifdown bond0");
  CHECK(
      pair.out(1, "ls /sys/class/net") == "bonding_masters\neno1\nenp1s0f0np0\nenp1s0f1np1\nlo\n");
  pair.reboot(1);
  works();
}

TEST_CASE(
    "ifupdown2 takes down what it remembers, and knows nothing of what it never brought up",
    "[lab]") {
  PairLab pair{"ifupdown2"};
  const std::string file = "/etc/network/interfaces.d/port";
  pair.exec(
      1,
      "cat > " + file,
      "auto enp1s0f0np0\niface enp1s0f0np0 inet static\n    address 10.30.0.1/24\n    mtu 9000\n");
  const ExecResult never = pair.exec(1, "ifdown --force enp1s0f0np0");
  CHECK(never.exit_status == 1);
  CHECK(
      never.standard_error ==
      "error: main exception: cannot find interfaces: enp1s0f0np0 (interface was probably never up "
      "?)\n");
  const auto runs = [&pair] {
    return pair.out(
        1, "ip -br -4 address show dev enp1s0f0np0; cat /sys/class/net/enp1s0f0np0/mtu");
  };
  CHECK(pair.exec(1, "ifup enp1s0f0np0").exit_status == 0);
  CHECK(runs() == "enp1s0f0np0      UP             10.30.0.1/24 \n9000\n");
  // Again, as the file says it now.
  pair.exec(1, "sed -i 's/0.1/0.7/; /mtu/d' " + file);
  CHECK(pair.exec(1, "ifup enp1s0f0np0").exit_status == 0);
  CHECK(runs() == "enp1s0f0np0      UP             10.30.0.7/24 \n1500\n");
  pair.exec(1, "rm " + file);
  CHECK(pair.exec(1, "ifquery enp1s0f0np0").exit_status == 1);
  CHECK(pair.exec(1, "ifup enp1s0f0np0").exit_status == 1);
  CHECK(pair.exec(1, "ifdown enp1s0f0np0").exit_status == 0);
  CHECK(runs() == "enp1s0f0np0      DOWN           \n1500\n");
  CHECK(pair.exec(1, "ifdown enp1s0f0np0").exit_status == 1);
}

}  // namespace
}  // namespace fabric::lab
