// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/lab/ring_lab.hpp"

namespace fabric::lab {
namespace {

std::vector<std::string> lost_pairs(RingLab& ring, const std::string& options) {
  std::vector<std::string> lost;
  for (int from = 1; from <= ring.count; ++from) {
    for (int to = 1; to <= ring.count; ++to) {
      for (int port = 1; port <= 2; ++port) {
        if (from != to && !ring.pings(from, to, port, options))
          lost.push_back(fmt::format("{}-{}.{}", from, to, port));
      }
    }
  }
  return lost;
}

TEST_CASE("in a chaining ring every port reaches every port at full MTU", "[lab]") {
  RingLab ring{4};
  ring.make_ring();
  CHECK(lost_pairs(ring, "-s 8972 -M do").empty());
  CHECK(lost_pairs(ring, "").empty());
}

TEST_CASE("in a chaining ring pings bound to a port pass in both directions", "[lab]") {
  RingLab ring{4};
  ring.make_ring();
  for (const std::string interface : {"enp1s0f0np0", "enp1s0f1np1"}) {
    CHECK(lost_pairs(ring, "-s 8972 -M do -I " + interface).empty());
  }
}

TEST_CASE("two hosts and two cables are a ring", "[lab]") {
  RingLab ring{2};
  ring.make_ring();
  CHECK(lost_pairs(ring, "-s 8972 -M do").empty());
}

TEST_CASE("without chaining neighbours answer and two hops away do not", "[lab]") {
  RingLab ring{4};
  ring.make_ring();
  ring.exec(2, "mstconfig -d 01:00.0 -y set HOST_CHAINING_MODE=0");
  ring.reboot(2);
  // pve3's port 2 is cabled to pve2's port 1, and pve2's replies leave by its first route, port 1.
  CHECK(ring.exec(3, "ping -c 1 -W 1 -I enp1s0f1np1 10.30.0.3").exit_status == 0);
  // pve1 to pve3 goes through pve2.
  CHECK_FALSE(ring.pings(1, 3, 1));
  // pve3 to pve1 goes the other way round, but the reply to it does not.
  CHECK_FALSE(ring.pings(3, 1, 1));
  CHECK(ring.exec(4, "ping -c 1 -W 1 -I enp1s0f1np1 10.30.0.5").exit_status == 0);
}

TEST_CASE("a cut cable stops the ring for those behind it", "[lab]") {
  RingLab ring{4};
  ring.make_ring();
  REQUIRE(ring.lab.recable("pve1/1", "pve4/cx5/2"));  // unplugs pve1-pve2 and pve3-pve4
  CHECK_FALSE(ring.pings(1, 2, 2));
  CHECK(
      ring.out(3, "cat /sys/class/net/enp1s0f0np0/carrier /sys/class/net/enp1s0f1np1/carrier") ==
      "0\n1\n");
  CHECK(ring.out(2, "cat /sys/class/net/enp1s0f1np1/operstate") == "down\n");
}

TEST_CASE("a cable is taken out at both ends, or stays in its other port", "[lab]") {
  RingLab ring{3};
  ring.make_ring();
  const auto has_module = [&ring](int host, const std::string& interface) {
    return ring.out(host, "ethtool -m " + interface).find("Vendor SN") != std::string::npos;
  };
  REQUIRE(ring.lab.unplug("pve1/1"));  // of pve1-pve2
  CHECK_FALSE(has_module(1, "enp1s0f0np0"));
  CHECK_FALSE(has_module(2, "enp1s0f1np1"));
  REQUIRE(ring.lab.unplug("pve2/1", true));  // of pve2-pve3
  CHECK_FALSE(has_module(2, "enp1s0f0np0"));
  CHECK(has_module(3, "enp1s0f1np1"));
  CHECK(ring.out(3, "cat /sys/class/net/enp1s0f1np1/carrier") == "0\n");
  CHECK(ring.lab.unplug("pve3/2", true).error().message == "no cable is in 'pve3/cx5/2'");
}

TEST_CASE("the route of a dead port wins, unless the kernel is told to ignore it", "[lab]") {
  RingLab ring{3};
  ring.make_ring();
  CHECK(
      ring.out(1, "ip route get " + RingLab::address(2, 2)).find("dev enp1s0f0np0") !=
      std::string::npos);
  REQUIRE(ring.lab.recable("pve2/cx5/2", "nowhere/1"));
  CHECK_FALSE(ring.pings(1, 2, 1));
  for (int host = 1; host <= 3; ++host)
    ring.exec(host, "sysctl -w net.ipv4.conf.all.ignore_routes_with_linkdown=1");
  CHECK(
      ring.out(1, "ip route get " + RingLab::address(2, 1)).find("dev enp1s0f1np1") !=
      std::string::npos);
  CHECK(ring.pings(1, 2, 1));
  CHECK(ring.pings(1, 3, 1));
  // Who asks for the dead port gets it.
  CHECK_FALSE(ring.pings(1, 2, 1, "-I enp1s0f0np0"));
}

TEST_CASE("firmware 16.22.1002 drops long packets once it chains", "[lab]") {
  LabSpec spec;
  spec.hosts["pve2"].adapters["cx5"].firmware = "16.22.1002";
  RingLab ring{4, spec};
  ring.make_ring();
  CHECK(ring.pings(1, 2, 2, "-s 8122 -M do"));  // 8150 bytes
  CHECK_FALSE(ring.pings(1, 2, 2, "-s 8123 -M do"));
  CHECK_FALSE(ring.pings(1, 3, 1, "-s 8972 -M do"));  // in transit
  CHECK(ring.exec(4, "ping -c 1 -W 1 -M do -s 8972 -I enp1s0f1np1 10.30.0.5").exit_status == 0);
}

TEST_CASE("an MTU that differs is seen at the sender and at the receiver", "[lab]") {
  RingLab ring{3};
  ring.make_ring();
  ring.exec(1, "ip link set enp1s0f0np0 mtu 1500");
  const ExecResult refused = ring.exec(1, "ping -c 1 -W 1 -M do -s 8972 10.30.0.4");
  CHECK(refused.exit_status == 1);
  CHECK(refused.standard_error == "ping: local error: message too long, mtu=1500\n");
  CHECK_FALSE(ring.pings(2, 1, 1, "-s 8972 -M do"));
  CHECK(ring.pings(2, 1, 1, ""));
}

TEST_CASE("a host that is down cuts the ring and its links", "[lab]") {
  RingLab ring{4};
  ring.make_ring();
  ring.exec(2, "systemctl reboot");
  ring.wait(Duration{1000});
  REQUIRE(ring.lab.power(pve(2)) == Power::booting);
  CHECK(ring.out(1, "cat /sys/class/net/enp1s0f0np0/carrier") == "0\n");
  CHECK_FALSE(ring.pings(1, 3, 1));
  ring.wait(Duration{5000});
  CHECK(ring.pings(1, 3, 1));
}

TEST_CASE("interfaces that are down still let frames pass the card", "[lab]") {
  RingLab ring{4};
  ring.make_ring();
  ring.exec(2, "ip link set enp1s0f0np0 down; ip link set enp1s0f1np1 down");
  CHECK(ring.pings(1, 3, 1));
  CHECK_FALSE(ring.pings(1, 2, 1));
}

TEST_CASE("a port answers for its own IPv6 addresses alone, whatever IPv4 is told", "[lab]") {
  RingLab ring{3};
  ring.make_ring();
  for (int host = 1; host <= 3; ++host) {
    ring.exec(host, "sysctl -w net.ipv4.conf.all.arp_ignore=0 net.ipv4.conf.all.rp_filter=1");
    for (int port = 1; port <= 2; ++port)
      ring.exec(
          host,
          fmt::format(
              "ip addr add fd00::{}/64 dev enp1s0f{}np{}",
              (host - 1) * 2 + port,
              port - 1,
              port - 1));
  }
  // By pve1's port, by pve2's other port: both have a route to the same subnet.
  for (int target = 3; target <= 6; ++target)
    for (int port = 0; port <= 1; ++port)
      CHECK(
          ring.exec(1, fmt::format("ping -c 1 -W 1 -I enp1s0f{0}np{0} fd00::{1}", port, target))
              .exit_status == 0);
  // The port that has the address alone hears of it.
  ring.exec(2, "ip link set enp1s0f1np1 down");
  CHECK(ring.exec(1, "ping -c 1 -W 1 fd00::4").exit_status == 1);
  CHECK(ring.exec(1, "ping -c 1 -W 1 fd00::3").exit_status == 0);
}

TEST_CASE("strict reverse path filtering loses what comes in on the second port", "[lab]") {
  RingLab ring{4};
  ring.make_ring();
  ring.exec(3, "sysctl -w net.ipv4.conf.all.rp_filter=1");
  CHECK_FALSE(ring.pings(1, 3, 2));  // arrives at port 2, whose subnet is routed by port 1
  CHECK(ring.pings(1, 3, 1));
}

TEST_CASE("no link while link types differ, and LLDP names the port at the other end", "[lab]") {
  RingLab ring{3};
  ring.exec(1, "mstconfig -d 0000:01:00.0 -y set LINK_TYPE_P1=2 LINK_TYPE_P2=2");
  ring.reboot(1);
  ring.exec(1, "ip link set enp1s0f0np0 up");
  CHECK(ring.out(1, "cat /sys/class/net/enp1s0f0np0/carrier") == "0\n");
  ring.make_ring();
  const std::string neighbours = ring.out(1, "lldpcli -f json0 show neighbors details");
  CHECK(neighbours.find(R"("name":"enp1s0f0np0","via":"LLDP")") != std::string::npos);
  CHECK(neighbours.find(R"("name":[{"value":"pve2"}])") != std::string::npos);
  CHECK(neighbours.find(R"("descr":[{"value":"enp1s0f1np1"}])") != std::string::npos);
}

TEST_CASE("ping prints and fails as iputils does", "[lab]") {
  RingLab ring{3};
  ring.make_ring();
  CHECK(
      ring.out(1, "ping -c 1 10.30.0.4") ==
      "PING 10.30.0.4 (10.30.0.4) 56(84) bytes of data.\n"
      "64 bytes from 10.30.0.4: icmp_seq=1 ttl=64 time=0.066 ms\n\n"
      "--- 10.30.0.4 ping statistics ---\n1 packets transmitted, 1 received, 0% packet loss, time "
      "1ms\n"
      "rtt min/avg/max/mdev = 0.066/0.066/0.066/0.000 ms\n");
  const ExecResult nobody = ring.exec(1, "ping -c 1 -W 5 10.30.0.99");
  CHECK(nobody.exit_status == 1);
  CHECK(nobody.standard_output.find("Destination Host Unreachable") != std::string::npos);
  CHECK(
      ring.exec(1, "ping -c 1 198.51.100.1").standard_error ==
      "ping: connect: Network is unreachable\n");
  CHECK(ring.exec(1, "ping -c 1 -I nothing 10.30.0.2").exit_status == 2);
  CHECK(ring.exec(1, "ping -c 1 192.0.2.12").exit_status == 0);  // the management network
}

}  // namespace
}  // namespace fabric::lab
