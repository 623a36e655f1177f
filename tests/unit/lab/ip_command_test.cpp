// SPDX-License-Identifier: Apache-2.0
#include "engine/value/json.hpp"

#include "tests/unit/lab/ring_lab.hpp"

namespace fabric::lab {
namespace {

TEST_CASE("ip prints JSON that a parser can read", "[lab]") {
  RingLab ring{3};
  ring.make_ring();
  const Result<Value> links = parse_json(ring.out(1, "ip -j -d link show"));
  REQUIRE(links);
  const List& list = *links->as_list();
  REQUIRE(list.size() == 4);
  CHECK(list[2].string_or_empty("ifname") == "enp1s0f0np0");
  CHECK(list[2].string_or_empty("operstate") == "UP");
  CHECK(*list[2].find("mtu") == Value{9000});
  CHECK(*list[2].find("max_mtu") == Value{9978});
  CHECK(list[2].string_or_empty("parentdev") == "0000:01:00.0");
  const Result<Value> addresses = parse_json(ring.out(1, "ip -j addr show dev enp1s0f0np0"));
  REQUIRE(addresses);
  const Value& info = addresses->as_list()->front().find("addr_info")->as_list()->front();
  CHECK(info.string_or_empty("local") == "10.30.0.1");
  CHECK(*info.find("prefixlen") == Value{24});
  CHECK(parse_json(ring.out(1, "ip -j route")));
  CHECK(parse_json(ring.out(1, "rdma -j link show")));
  CHECK(parse_json(ring.out(1, "lldpcli -f json0 show neighbors")));
}

TEST_CASE("ip refuses with the kernel's words", "[lab]") {
  RingLab ring{3};
  ring.make_ring();
  const auto refuses = [&](const std::string& line, int status, const std::string& message) {
    const ExecResult result = ring.exec(1, line);
    CHECK(result.exit_status == status);
    CHECK(result.standard_error == message + "\n");
  };
  refuses("ip link set enp1s0f0np0 mtu 20000", 2, "Error: mtu greater than device maximum.");
  refuses("ip addr add 10.30.0.1/24 dev enp1s0f0np0", 2, "RTNETLINK answers: File exists");
  refuses(
      "ip addr del 10.99.0.1/24 dev enp1s0f0np0",
      2,
      "RTNETLINK answers: Cannot assign requested address");
  refuses("ip link set nothing up", 1, "Cannot find device \"nothing\"");
  refuses("ip link show nothing", 1, "Device \"nothing\" does not exist.");
  ring.exec(1, "ip addr flush dev enp1s0f0np0; ip link set dev enp1s0f0np0 down");
  CHECK(ring.out(1, "ip -br addr show dev enp1s0f0np0") == "enp1s0f0np0      DOWN           \n");
}

TEST_CASE("sysctl reads, writes and loads files as procps does", "[lab]") {
  RingLab ring{3};
  CHECK(
      ring.out(1, "sysctl net.ipv4.conf.all.rp_filter; sysctl -n net/ipv4/conf/all/rp_filter") ==
      "net.ipv4.conf.all.rp_filter = 0\n0\n");
  CHECK(
      ring.out(
          1,
          "sysctl -w net.ipv4.conf.all.arp_ignore=1; cat /proc/sys/net/ipv4/conf/all/arp_ignore") ==
      "net.ipv4.conf.all.arp_ignore = 1\n1\n");
  const ExecResult unknown = ring.exec(1, "sysctl -w net.ipv4.conf.gone.rp_filter=1");
  CHECK(unknown.exit_status == 1);
  CHECK(
      unknown.standard_error ==
      "sysctl: cannot stat /proc/sys/net/ipv4/conf/gone/rp_filter: No such file or directory\n");
  ring.exec(
      1,
      "printf 'net.core.rmem_max=1\\n' > /etc/sysctl.d/10-a.conf; printf 'net.core.rmem_max = "
      "2\\n' > /etc/sysctl.d/20-b.conf");
  CHECK(
      ring.out(
          1,
          "sysctl -p /etc/sysctl.d/10-a.conf; sysctl --system | tail -3; sysctl -n "
          "net.core.rmem_max") ==
      "net.core.rmem_max = 1\nnet.core.rmem_max = 2\n* Applying /usr/lib/sysctl.d/50-pid-max.conf "
      "...\nkernel.pid_max = 4194304\n2\n");
}

TEST_CASE("systemctl tells states with its exit codes", "[lab]") {
  RingLab ring{3};
  CHECK(
      ring.out(1, "systemctl is-active systemd-networkd NetworkManager; echo $?") ==
      "active\ninactive\n0\n");
  CHECK(
      ring.out(
          1, "systemctl is-active NetworkManager.service; echo $?; systemctl is-enabled ssh") ==
      "inactive\n3\nenabled\n");
  CHECK(ring.exec(1, "systemctl restart nothing").exit_status == 5);
  CHECK(ring.exec(1, "systemctl restart systemd-networkd").exit_status == 0);
}

}  // namespace
}  // namespace fabric::lab
