// SPDX-License-Identifier: Apache-2.0
// NetworkManager of the lab, against what 1.42.4 did with the same profiles.
#include "tests/support/catch.hpp"
#include "tests/unit/lab/pair_lab.hpp"

namespace fabric::lab {
namespace {

constexpr const char* kPort = "enp1s0f0np0";
constexpr const char* kDevices = "nmcli -t -f DEVICE,STATE,CONNECTION device | grep enp";

std::string profile(
    const std::string& id, const std::string& port, const std::string& more, bool port_of = false) {
  return "[connection]\\nid=" + id + "\\nuuid=uuid-of-" + id +
         "\\ntype=ethernet\\ninterface-name=" + port + "\\n" + more +
         (port_of ? "" : "[ipv6]\\nmethod=disabled\\n");
}

struct Managed : PairLab {
  Managed() : PairLab{"networkmanager"} {}
  void put(const std::string& id, const std::string& text, const char* umask = "077") {
    const ExecResult written = exec(
        1,
        fmt::format(
            "umask {}; printf '{}' >/etc/NetworkManager/system-connections/{}.nmconnection",
            umask,
            text,
            id));
    REQUIRE(written.exit_status == 0);
  }
  void drop(const std::string& id) {
    exec(1, "rm /etc/NetworkManager/system-connections/" + id + ".nmconnection");
  }
  std::string address() { return out(1, "ip -o -4 addr show dev enp1s0f0np0"); }
};

TEST_CASE("a profile comes up where its device is free, and goes with its file", "[lab]") {
  Managed pair;
  CHECK(pair.out(1, kDevices) == "enp1s0f0np0:disconnected:\nenp1s0f1np1:disconnected:\n");
  pair.put(
      "a",
      profile(
          "a", kPort, "[ethernet]\\nmtu=9000\\n[ipv4]\\nmethod=manual\\naddress1=10.30.0.1/24\\n"));
  CHECK(pair.address().empty());
  pair.exec(1, "nmcli connection reload");
  CHECK(pair.address().find("10.30.0.1/24") != std::string::npos);
  CHECK(pair.out(1, "ip route show dev enp1s0f0np0").find("metric 10") != std::string::npos);
  // One that changes runs as it was until it is activated again.
  pair.exec(
      1, "sed -i s/10.30.0.1/10.30.0.7/ /etc/NetworkManager/system-connections/a.nmconnection");
  pair.exec(1, "nmcli connection reload");
  CHECK(pair.address().find("10.30.0.1/24") != std::string::npos);
  CHECK(pair.exec(1, "nmcli connection up id a").standard_output.starts_with("Connection success"));
  CHECK(pair.address().find("10.30.0.7/24") != std::string::npos);
  CHECK(pair.address().find("10.30.0.1/24") == std::string::npos);
  pair.reboot(1);
  CHECK(pair.address().find("10.30.0.7/24") != std::string::npos);
  pair.drop("a");
  pair.exec(1, "nmcli connection reload");
  CHECK(pair.address().empty());
  CHECK(pair.out(1, "cat /sys/class/net/enp1s0f0np0/mtu") == "1500\n");
}

TEST_CASE("what was configured by hand is left alone until a profile is activated", "[lab]") {
  Managed pair;
  pair.exec(1, "ip link set enp1s0f0np0 up; ip addr add 10.99.0.1/24 dev enp1s0f0np0");
  CHECK(pair.out(1, kDevices).starts_with("enp1s0f0np0:connected (externally):enp1s0f0np0\n"));
  pair.put("a", profile("a", kPort, "[ipv4]\\nmethod=manual\\naddress1=10.30.0.1/24\\n"));
  pair.exec(1, "nmcli connection reload");
  CHECK(pair.address().find("10.99.0.1/24") != std::string::npos);
  pair.exec(1, "nmcli connection up id a");
  CHECK(pair.address().find("10.99.0.1/24") == std::string::npos);
  CHECK(pair.address().find("10.30.0.1/24") != std::string::npos);
}

TEST_CASE("a start leaves what has no profile any more as it runs", "[lab]") {
  Managed pair;
  pair.put("a", profile("a", kPort, "[ipv4]\\nmethod=manual\\naddress1=10.30.0.1/24\\n"));
  pair.exec(1, "nmcli connection reload");
  pair.exec(
      1, "sed -i s/10.30.0.1/10.30.0.7/ /etc/NetworkManager/system-connections/a.nmconnection");
  pair.exec(1, "systemctl restart NetworkManager");
  CHECK(pair.address().find("10.30.0.1/24") != std::string::npos);
  CHECK(pair.address().find("10.30.0.7/24") != std::string::npos);
  pair.drop("a");
  pair.exec(1, "systemctl restart NetworkManager");
  CHECK(pair.address().find("10.30.0.1/24") != std::string::npos);
  CHECK(pair.out(1, kDevices).starts_with("enp1s0f0np0:connected (externally)"));
}

TEST_CASE("a profile that others can read, or that is none, is not there", "[lab]") {
  Managed pair;
  pair.put("a", profile("a", kPort, "[ipv4]\\nmethod=manual\\naddress1=10.30.0.1/24\\n"), "022");
  pair.put("b", profile("b", kPort, "[ipv4]\\nmethod=foo\\n"));
  pair.put("c", "garbage\\n");
  CHECK(pair.exec(1, "nmcli connection reload").exit_status == 0);
  CHECK(pair.out(1, "nmcli -g NAME connection show") == "eno1\n");
  const ExecResult unknown = pair.exec(1, "nmcli connection up id a");
  CHECK(unknown.exit_status == 10);
  CHECK(unknown.standard_error == "Error: unknown connection 'a'.\n");
}

TEST_CASE("a bond comes with its ports, and its ports with it", "[lab]") {
  Managed pair;
  pair.put(
      "bond",
      "[connection]\\nid=bond\\nuuid=u0\\ntype=bond\\ninterface-name=bond0\\n[bond]\\nmode=802."
      "3ad\\n"
      "[ipv4]\\nmethod=manual\\naddress1=10.30.0.1/24\\n[ipv6]\\nmethod=disabled\\n");
  const std::string of_bond = "master=bond0\\nslave-type=bond\\n";
  pair.put("p1", profile("p1", kPort, of_bond, true));
  pair.put("p2", profile("p2", "enp1s0f1np1", of_bond, true));
  pair.exec(1, "nmcli connection reload");
  CHECK(
      pair.proc("Slave Interface") ==
      "Slave Interface: enp1s0f0np0\nSlave Interface: enp1s0f1np1\n");
  // NetworkManager's own default.
  CHECK(pair.proc("MII Polling") == "MII Polling Interval (ms): 100\n");
  pair.exec(1, "nmcli device delete bond0");
  CHECK(pair.out(1, kDevices) == "enp1s0f0np0:disconnected:\nenp1s0f1np1:disconnected:\n");
  pair.exec(1, "nmcli connection up id p1");
  CHECK(pair.proc("Slave Interface").find(kPort) != std::string::npos);
  pair.drop("bond");
  pair.exec(1, "nmcli connection reload");
  CHECK(pair.exec(1, "ip link show bond0").exit_status == 1);
  const ExecResult alone = pair.exec(1, "nmcli connection up id p1");
  CHECK(alone.exit_status == 4);
  CHECK(
      alone.standard_error ==
      "Error: Connection activation failed: Can not find a master for p1: Master connection not "
      "found or invalid\n");
}

TEST_CASE("rules and tables come and go with their profile", "[lab]") {
  Managed pair;
  pair.put(
      "a",
      profile(
          "a",
          kPort,
          "[ipv4]\\nmethod=manual\\naddress1=10.30.0.1/24\\nroute1=10.30.0.0/24\\n"
          "route1_options=src=10.30.0.1,table=4501\\n"
          "routing-rule1=priority 4501 from 10.30.0.1 table 4501\\n"));
  pair.exec(1, "nmcli connection reload");
  CHECK(pair.out(1, "ip rule show").find("4501:\tfrom 10.30.0.1 lookup 4501") != std::string::npos);
  CHECK(pair.out(1, "ip route show table 4501").find("10.30.0.0/24") != std::string::npos);
  pair.exec(1, "nmcli connection down id a; nmcli connection reload");
  CHECK(pair.address().empty());
  CHECK(pair.out(1, "ip rule show").find("4501") == std::string::npos);
}

}  // namespace
}  // namespace fabric::lab
