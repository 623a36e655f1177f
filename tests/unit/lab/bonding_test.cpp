// SPDX-License-Identifier: Apache-2.0
// Bonds and VLANs of the simulated kernel, made by hand.
#include "engine/value/json.hpp"

#include "tests/unit/lab/pair_lab.hpp"

namespace fabric::lab {
namespace {

TEST_CASE("a slave must be down, takes the bond's MAC and MTU, and gets its own back", "[lab]") {
  PairLab pair;
  pair.exec(
      1, "ip link add bond0 type bond mode active-backup miimon 100; ip link set enp1s0f0np0 up");
  const ExecResult refused = pair.exec(1, "ip link set enp1s0f0np0 master bond0");
  CHECK(refused.exit_status == 2);
  CHECK(refused.standard_error == "Error: Device can not be enslaved while up.\n");
  const std::string own = pair.out(1, "cat /sys/class/net/enp1s0f0np0/address");
  pair.exec(
      1,
      "ip link set bond0 mtu 4000; ip link set enp1s0f0np0 down; ip link set enp1s0f0np0 master "
      "bond0");
  CHECK(
      pair.out(1, "cat /sys/class/net/enp1s0f0np0/address") ==
      pair.out(1, "cat /sys/class/net/bond0/address"));
  CHECK(pair.out(1, "cat /sys/class/net/enp1s0f0np0/mtu") == "4000\n");
  CHECK(pair.out(1, "ethtool -P enp1s0f0np0") == "Permanent address: " + own);
  CHECK(pair.out(1, "readlink /sys/class/net/enp1s0f0np0/master | sed 's|.*/||'") == "bond0\n");
  CHECK(
      pair.out(1, "readlink -f /sys/class/net/enp1s0f0np0/master") ==
      "/sys/devices/virtual/net/bond0\n");
  pair.exec(1, "ip link set enp1s0f0np0 nomaster");
  CHECK(pair.out(1, "cat /sys/class/net/enp1s0f0np0/address") == own);
  CHECK(pair.out(1, "cat /sys/class/net/enp1s0f0np0/mtu") == "1500\n");
  CHECK(pair.exec(1, "test -e /sys/class/net/enp1s0f0np0/master").exit_status == 1);
}

TEST_CASE(
    "the MTU goes from a bond to its slaves, and a VLAN is no larger than below it", "[lab]") {
  PairLab pair;
  pair.bond("mode balance-xor miimon 100");
  pair.exec(1, "ip link add link bond0 name bond0.7 type vlan id 7; ip link set bond0.7 up");
  const ExecResult refused = pair.exec(1, "ip link set bond0.7 mtu 9000");
  CHECK(refused.standard_error == "RTNETLINK answers: Numerical result out of range\n");
  pair.exec(1, "ip link set bond0 mtu 9000; ip link set bond0.7 mtu 9000");
  CHECK(
      pair.out(1, "cat /sys/class/net/enp1s0f1np1/mtu /sys/class/net/bond0.7/mtu") ==
      "9000\n9000\n");
  pair.exec(1, "ip link set bond0 mtu 3000");
  CHECK(pair.out(1, "cat /sys/class/net/bond0.7/mtu") == "3000\n");
  CHECK(pair.exec(1, "ip link set bond0 mtu 20000").exit_status == 2);
  CHECK(
      pair.exec(1, "ip link add link bond0 name again type vlan id 7").standard_error ==
      "RTNETLINK answers: File exists\n");
  CHECK(pair.out(1, "tail -1 /proc/net/vlan/config") == "bond0.7        | 7    | bond0\n");
  pair.exec(1, "ip link delete bond0");
  CHECK(pair.exec(1, "test -e /sys/class/net/bond0.7").exit_status == 1);
  CHECK(
      pair.exec(1, "ip link delete eno1").standard_error ==
      "RTNETLINK answers: Operation not supported\n");
}

TEST_CASE("options are refused by state and by mode, and delays are rounded to polls", "[lab]") {
  PairLab pair;
  pair.bond("mode 802.3ad");
  const auto refuses = [&](const std::string& options, const std::string& why) {
    CHECK(pair.exec(1, "ip link set bond0 type bond " + options).standard_error == why + "\n");
  };
  refuses("mode 1", "RTNETLINK answers: Directory not empty");
  refuses("lacp_rate fast", "RTNETLINK answers: Device or resource busy");
  refuses("primary enp1s0f0np0", "RTNETLINK answers: Permission denied");
  refuses("colour red", "bond: unknown command \"colour\"?");
  CHECK(pair.out(1, "cat /sys/class/net/bond0/bonding/miimon") == "100\n");
  pair.exec(1, "ip link set bond0 type bond updelay 250");
  CHECK(pair.out(1, "cat /sys/class/net/bond0/bonding/updelay") == "200\n");
  CHECK(
      pair.exec(1, "ip link add b1 type bond mode 1 updelay 200").standard_error ==
      "RTNETLINK answers: Operation not permitted\n");
  CHECK(pair.exec(1, "echo 1 > /sys/class/net/bond0/bonding/mode").exit_status != 0);
}

TEST_CASE("a bond is made by sysfs as well, and by a module that was told to", "[lab]") {
  PairLab pair;
  CHECK(pair.exec(1, "test -e /sys/class/net/bonding_masters").exit_status == 1);
  pair.exec(1, "modprobe bonding");
  CHECK(pair.out(1, "cat /sys/class/net/bonding_masters") == "\n");
  pair.exec(
      1,
      "echo +b7 > /sys/class/net/bonding_masters; ip link set enp1s0f0np0 down; echo +enp1s0f0np0 "
      "> /sys/class/net/b7/bonding/slaves");
  CHECK(pair.out(1, "cat /sys/class/net/b7/bonding/slaves") == "enp1s0f0np0\n");
  pair.exec(
      1,
      "echo -b7 > /sys/class/net/bonding_masters; modprobe -r bonding; echo options bonding "
      "max_bonds=1 > /etc/modprobe.d/z.conf");
  CHECK(
      pair.exec(1, "ip link add bond0 type bond").standard_error ==
      "RTNETLINK answers: File exists\n");
}

TEST_CASE("active-backup sends by one slave and goes on when its cable is cut", "[lab]") {
  PairLab pair;
  pair.bond("mode active-backup miimon 100");
  CHECK(pair.passes("-M do -s 1472"));
  CHECK(pair.proc("Currently Active") == "Currently Active Slave: enp1s0f0np0\n");
  pair.cut("1");
  CHECK(pair.proc("Currently Active") == "Currently Active Slave: enp1s0f1np1\n");
  CHECK(pair.proc("Link Failure") == "Link Failure Count: 1\nLink Failure Count: 0\n");
  CHECK(pair.out(1, "cat /sys/class/net/bond0/carrier") == "1\n");
  CHECK(pair.passes());
  REQUIRE(pair.lab.recable("pve1/1", "pve2/1"));
  // The one that works is kept.
  CHECK(pair.proc("Currently Active") == "Currently Active Slave: enp1s0f1np1\n");
  pair.both("ip link set bond0 type bond primary enp1s0f0np0");
  CHECK(pair.proc("Currently Active") == "Currently Active Slave: enp1s0f0np0\n");
  CHECK(pair.passes());
}

TEST_CASE("without miimon nothing is noticed", "[lab]") {
  PairLab pair;
  pair.bond("mode active-backup");
  pair.cut("1");
  CHECK(pair.proc("MII Status: down").empty());
  CHECK_FALSE(pair.passes());
}

TEST_CASE("two hosts with LACP aggregate, one alone does not and says so", "[lab]") {
  PairLab pair;
  pair.bond("mode 802.3ad lacp_rate fast xmit_hash_policy layer3+4");
  CHECK(pair.passes());
  CHECK(pair.proc("Aggregator ID") == "\tAggregator ID: 1\nAggregator ID: 1\nAggregator ID: 1\n");
  CHECK(pair.proc("Number of ports") == "\tNumber of ports: 2\n");
  CHECK(pair.proc("port state: 63").size() == 4 * std::string{"    port state: 63\n"}.size());
  const std::string far = pair.out(2, "cat /sys/class/net/bond0/address");
  CHECK(pair.out(1, "cat /sys/class/net/bond0/bonding/ad_partner_mac") == far);
  CHECK(pair.out(1, "cat /sys/class/net/bond0/speed") == "200000\n");
  pair.exec(2, "ip link delete bond0; ip link add bond0 type bond mode balance-rr miimon 100");
  pair.exec(
      2,
      "for p in enp1s0f0np0 enp1s0f1np1; do ip link set $p master bond0; done; ip link set bond0 "
      "up; "
      "ip addr add 10.30.0.2/24 dev bond0");
  CHECK(pair.proc("Partner Mac") == "\tPartner Mac Address: 00:00:00:00:00:00\n");
  CHECK(pair.proc("Number of ports") == "\tNumber of ports: 1\n");
  CHECK(pair.proc("Aggregator ID") == "\tAggregator ID: 1\nAggregator ID: 1\nAggregator ID: 2\n");
  CHECK(pair.proc("MII Status: up").size() == 3 * std::string{"MII Status: up\n"}.size());
  CHECK(pair.proc("Partner Churn State: churned").size() > 30);
  CHECK(pair.proc("port state: 79") == "    port state: 79\n");
}

TEST_CASE("both ports of a card in one bond are one RDMA device, in the modes it does", "[lab]") {
  for (const auto& [mode, lag] :
       {std::pair{"1", true}, {"2", true}, {"4", true}, {"0", false}, {"5", false}}) {
    PairLab pair;
    pair.bond(std::string{"miimon 100 mode "} + mode);
    INFO("mode " << mode);
    CHECK(
        pair.out(1, "ls /sys/class/infiniband") ==
        (lag ? "mlx5_bond_0\n" : "rocep1s0f0\nrocep1s0f1\n"));
    if (!lag) continue;
    CHECK(
        pair.out(1, "cat /sys/class/infiniband/mlx5_bond_0/ports/1/gid_attrs/ndevs/0") ==
        "bond0\n");
    CHECK(
        pair.out(1, "ls /sys/bus/pci/devices/0000:01:00.1/infiniband 2>&1").find("rocep") ==
        std::string::npos);
    CHECK(
        pair.out(1, "rdma link") ==
        "link mlx5_bond_0/1 state ACTIVE physical_state LINK_UP netdev bond0 \n");
    pair.cut("1");
    CHECK(pair.out(1, "cat /sys/class/infiniband/mlx5_bond_0/ports/1/state") == "4: ACTIVE\n");
    pair.cut("2");
    CHECK(pair.out(1, "cat /sys/class/infiniband/mlx5_bond_0/ports/1/state") == "1: DOWN\n");
    pair.exec(1, "ip link delete bond0");
    CHECK(pair.out(1, "ls /sys/class/infiniband") == "rocep1s0f0\nrocep1s0f1\n");
  }
}

TEST_CASE("tagged frames meet only the VLAN of their number", "[lab]") {
  PairLab pair;
  pair.bond("mode balance-rr miimon 100");
  pair.both("ip link add link bond0 name bond0.100 type vlan id 100 && ip link set bond0.100 up");
  pair.exec(1, "ip addr add 10.40.0.1/24 dev bond0.100");
  pair.exec(2, "ip addr add 10.40.0.2/24 dev bond0.100");
  CHECK(pair.exec(1, "ping -c 1 -W 1 10.40.0.2").exit_status == 0);
  pair.exec(
      2,
      "ip link delete bond0.100; ip link add link bond0 name other type vlan id 101; ip link set "
      "other up; ip addr add 10.40.0.2/24 dev other");
  CHECK(pair.exec(1, "ping -c 1 -W 1 10.40.0.2").exit_status != 0);
  pair.exec(1, "ip link set bond0 down");
  CHECK(pair.out(1, "cat /sys/class/net/bond0.100/operstate") == "down\n");
}

TEST_CASE("ip tells of bonds, slaves and VLANs in JSON", "[lab]") {
  PairLab pair;
  pair.bond("mode 802.3ad");
  pair.exec(1, "ip link add link bond0 name bond0.100 type vlan id 100");
  const Result<Value> links = parse_json(pair.out(1, "ip -j -d link show"));
  REQUIRE(links);
  const List& list = *links->as_list();
  REQUIRE(list.size() == 6);
  CHECK(list[2].string_or_empty("master") == "bond0");
  CHECK(list[2].find("linkinfo")->string_or_empty("info_slave_kind") == "bond");
  const Value& bond = *list[4].find("linkinfo");
  CHECK(bond.string_or_empty("info_kind") == "bond");
  CHECK(bond.find("info_data")->string_or_empty("mode") == "802.3ad");
  CHECK(*bond.find("info_data")->find("ad_info")->find("num_ports") == Value{2});
  CHECK(list[5].string_or_empty("link") == "bond0");
  CHECK(*list[5].find("linkinfo")->find("info_data")->find("id") == Value{100});
}

}  // namespace
}  // namespace fabric::lab
