// SPDX-License-Identifier: Apache-2.0
#include "providers/linux/machine/linux_platform.hpp"

#include "tests/support/catch.hpp"

namespace fabric::platform {
namespace {

struct Told {
  NodeFacts facts{NodeName::parse("a").value(), {}, {}, {}, {}, Platform::linux};

  Told& says(const std::string& probe, const std::string& text) {
    facts.probes[probe] = {SharedText{}, 0, SharedText{text}, SharedText{}};
    return *this;
  }
  HostRouting read() const {
    const std::optional<HostRouting> routing = host_routing_of(facts);
    REQUIRE(routing);
    return *routing;
  }
};

constexpr const char* kAddresses =
    R"([{"ifname":"lo","flags":["LOOPBACK","UP","LOWER_UP"],"addr_info":[{"family":"inet","local":"127.0.0.1","prefixlen":8}]},)"
    R"({"ifname":"ens1f0np0","flags":["BROADCAST","UP"],"addr_info":[{"family":"inet","local":"10.30.0.1","prefixlen":24},)"
    R"({"family":"inet6","local":"fd00::1","prefixlen":64}]},)"
    R"({"ifname":"ens1f1np1","flags":["BROADCAST","UP","LOWER_UP"],"addr_info":[{"family":"inet","local":"10.30.0.2","prefixlen":24}]},)"
    R"({"ifname":"eno2","flags":["BROADCAST"],"addr_info":[]}])";

TEST_CASE("what a Linux host sends by is read from its probes", "[platform]") {
  Told told;
  told.says("ip-addr", kAddresses)
      .says(
          "ip-route",
          R"([{"dst":"default","gateway":"192.0.2.1","dev":"eno1","flags":[]},)"
          R"({"dst":"10.30.0.0/24","dev":"ens1f1np1","protocol":"kernel","scope":"link","prefsrc":"10.30.0.2","flags":[]},)"
          R"({"dst":"10.30.0.0/24","dev":"ens1f0np0","protocol":"kernel","scope":"link","metric":101,"flags":["linkdown"]}])"
          "\n"
          R"([{"dst":"fd00::/64","dev":"ens1f0np0","scope":"link","flags":[]}])"
          "\n")
      .says(
          "ip-transit",
          R"([{"priority":0,"src":"all","table":"local"},{"priority":4101,"src":"10.30.0.1","table":"4101"},)"
          R"({"priority":4001,"src":"all","iif":"ens1f0np0","table":"4001"}])"
          "\n"
          R"([{"table":4101,"routes":[{"dst":"10.30.0.0/24","dev":"ens1f0np0","scope":"link","flags":[]}]}])"
          "\n")
      .says(
          "sysctl",
          "/proc/sys/net/ipv4/conf/all/arp_ignore:1\n/proc/sys/net/ipv4/conf/all/rp_filter:0\n"
          "/proc/sys/net/ipv4/conf/ens1f0np0/rp_filter:2\n"
          "/proc/sys/net/ipv4/conf/all/ignore_routes_with_linkdown:1\n");
  const HostRouting routing = told.read();
  REQUIRE(routing.interfaces.size() == 4);
  const RoutedInterface& first = routing.interfaces.at("ens1f0np0");
  CHECK(first.up);
  CHECK(first.carrier == false);
  REQUIRE(first.addresses.size() == 1);
  CHECK(first.addresses.front().address.str() == "10.30.0.1");
  CHECK(first.addresses.front().subnet.str() == "10.30.0.0/24");
  CHECK(first.arp_ignore == 1);
  CHECK(first.rp_filter == 2);
  CHECK(first.ignores_linkdown);
  CHECK(routing.interfaces.at("ens1f1np1").carrier == true);
  CHECK(routing.interfaces.at("ens1f1np1").rp_filter == 0);
  CHECK_FALSE(routing.interfaces.at("eno2").up);
  CHECK_FALSE(routing.interfaces.at("eno2").carrier);
  // In the order of the kernel; what goes by a gateway is none of a link.
  REQUIRE(routing.routes.size() == 3);
  CHECK(routing.routes[0].interface == "ens1f1np1");
  CHECK(routing.routes[1].interface == "ens1f0np0");
  CHECK(routing.routes[1].metric == 101);
  CHECK(routing.routes[2].table == 4101);
  REQUIRE(routing.rules.size() == 1);
  CHECK(routing.rules.front().from.str() == "10.30.0.1");
  CHECK(routing.rules.front().table == 4101);
}

TEST_CASE("where routes were not read each address has that of its subnet", "[platform]") {
  Told told;
  const HostRouting routing = told.says("ip-addr", kAddresses).read();
  REQUIRE(routing.routes.size() == 3);
  CHECK(routing.routes[1].interface == "ens1f0np0");
  CHECK(routing.routes[1].to.str() == "10.30.0.0/24");
  CHECK(routing.rules.empty());
}

TEST_CASE("a host whose addresses were not read tells nothing of how it sends", "[platform]") {
  Told told;
  CHECK_FALSE(host_routing_of(told.facts));
  CHECK_FALSE(host_routing_of(told.says("ip-addr", "2: eth0 inet 10.0.0.1/24\n").facts));
}

}  // namespace
}  // namespace fabric::platform
