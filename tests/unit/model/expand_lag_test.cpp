// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/model/expanded.hpp"

namespace fabric {
namespace {

using test::after;
using test::beneath;
using test::desired;
using test::expand_text;
using test::Expanded;
using test::feature_names;
using test::Lines;

constexpr const char* kLag = R"(apiVersion: fabric/v1
name: lag
nodes:
  s[1-2]:
    network_backend: networkd
    packages: [ifenslave]
    adapters:
      cx4: {model: connectx-4, names: {1: roce0, 2: roce1}}
  leaf1: {platform: unmanaged}
networks:
  lacp:
    mode: lag
    mtu: 9000
    ipv4: {subnet: 22.22.24.0/24, gateway: 22.22.24.254, routes: [{to: 10.0.0.0/8, via: 22.22.24.253}]}
    ipv6: {subnet: "fd00:24::/64"}
    lag: {policy: 4, lacp_rate: fast, updelay: 200, hash_policy: layer3+4, min_links: 1}
    vlans:
      backup: {id: 100, ipv4: {subnet: 22.22.25.0/24}}
    cables:
      - ["s[1-2]/cx4/1", "leaf1/[1-2]"]
      - ["s[1-2]/cx4/2", "leaf1/[3-4]"]
)";

TEST_CASE("addresses, gateways and routes are spelled as the kernel prints them", "[model]") {
  std::string text = kLag;
  const std::string subnet = R"(ipv6: {subnet: "fd00:24::/64"})";
  text.replace(
      text.find(subnet),
      subnet.size(),
      R"(ipv6: {subnet: "FD00:24:0::/64", gateway: "FD00:24:0::FE", addresses: {s1: "fd00:24:0::00A"}, )"
      R"(routes: [{to: "FD00:9:0::1/128", via: "fd00:24:0::fd"}]})");
  const Expanded lag = expand_text(text);
  const auto& bond = lag.at("s1/bond/bond0").desired;
  CHECK(to_text(bond.at("addresses").value) == "[22.22.24.1/24, fd00:24::a/64]");
  CHECK(to_text(bond.at("gateway6").value) == "fd00:24::fe");
  CHECK(
      to_text(bond.at("routes").value) ==
      "[{to: 10.0.0.0/8, via: 22.22.24.253}, {to: fd00:9::1/128, via: fd00:24::fd}]");
}

TEST_CASE(
    "a bond lies on its slaves and has what a network has: MTU, addresses, routes", "[model]") {
  const Expanded lag = expand_text(kLag);
  const Resource& bond = lag.at("s1/bond/bond0");
  CHECK(
      desired(bond) ==
      R"({"addresses":["22.22.24.1/24","fd00:24::1/64"],"gateway":"22.22.24.254",)"
      R"("hash_policy":"layer3+4","lacp_rate":"fast","miimon":100,"min_links":1,"mode":"802.3ad",)"
      R"("mtu":9000,"roce":true,"routes":[{"to":"10.0.0.0/8","via":"22.22.24.253"}],)"
      R"("slaves":["cx4.1","cx4.2"],"updelay":200})");
  CHECK(lag.line(bond.desired.at("mode").source) == 16);
  CHECK(lag.line(bond.desired.at("slaves").source) == 12);
  CHECK(bond.binding.at("backend") == Value{"networkd"});
  const List* slaves = bond.binding.at("slaves").as_list();
  REQUIRE(slaves != nullptr);
  REQUIRE(slaves->size() == 2);
  CHECK(*slaves->at(1).find("port") == Value{2});
  CHECK(*slaves->at(1).find("name") == Value{"roce1"});
  CHECK(beneath(bond) == Lines{"s1/interface/cx4.1", "s1/interface/cx4.2"});
  CHECK(
      after(bond) == Lines{
                         "s1/adapter/cx4",
                         "s1/link_name/cx4.1",
                         "s1/settings/cx4",
                         "s1/package/ifenslave",
                         "s1/link_name/cx4.2"});
  CHECK(feature_names(bond) == Lines{"network_backend", "", "ipv6", "gateway", "routes"});
  CHECK(bond.features[0].written == "`network_backend`");
  CHECK(lag.line(bond.features[0].range) == 5);
}

TEST_CASE("a slave has a master and an MTU, no addresses, and is part of its bond", "[model]") {
  const Expanded lag = expand_text(kLag);
  const Resource& slave = lag.at("s2/interface/cx4.2");
  CHECK(desired(slave) == R"({"master":"bond0","mtu":9000})");
  CHECK(slave.binding.at("bond") == Value{"bond0"});
  CHECK(slave.binding.at("link_type") == Value{"ethernet"});
  REQUIRE(slave.part_of);
  CHECK(slave.part_of->str() == "s2/bond/bond0");
  REQUIRE(feature_names(slave).size() == 2);
  CHECK(slave.features[1].written == "mode lag");
  CHECK(lag.line(slave.features[1].range) == 12);
  CHECK(desired(lag.at("s2/settings/cx4")) == R"({"LINK_TYPE_P1":2,"LINK_TYPE_P2":2})");
  CHECK(
      lag.at("s2/settings/cx4").desired.at("LINK_TYPE_P2").reason ==
      "mode lag of network lacp needs port 2 as Ethernet");
}

TEST_CASE("a VLAN over a bond lies on the bond", "[model]") {
  const Expanded lag = expand_text(kLag);
  const Resource& vlan = lag.at("s1/vlan/lacp.backup");
  CHECK(desired(vlan) == R"({"addresses":["22.22.25.1/24"],"id":100,"mtu":9000})");
  CHECK(beneath(vlan) == Lines{"s1/bond/bond0"});
  CHECK(vlan.binding.at("parent_kind") == Value{"bond"});
  CHECK(vlan.binding.at("parent") == Value{"bond0"});
  CHECK(vlan.binding.contains("slaves"));
  CHECK(vlan.features.at(1).written == "`vlans`");
}

TEST_CASE("no RoCE LAG is expected where policy, card or document have none", "[model]") {
  const auto roce = [](const std::string& from, const std::string& to) {
    std::string text = kLag;
    text.replace(text.find(from), from.size(), to);
    return expand_text(text).at("s1/bond/bond0").desired.contains("roce");
  };
  CHECK_FALSE(roce("policy: 4, lacp_rate: fast,", "policy: balance-rr,"));
  CHECK_FALSE(roce("policy: 4,", "policy: 4, roce: false,"));
  CHECK_FALSE(roce("connectx-4,", "connectx-3,"));
  CHECK(roce("policy: 4,", "policy: 4, roce: true,"));
}

TEST_CASE("a bond is wanted as the driver will have it, and without what that ignores", "[model]") {
  const auto wanted = [](const std::string& options) {
    const std::string all =
        "policy: 4, lacp_rate: fast, updelay: 200, hash_policy: layer3+4, min_links: 1";
    std::string text = kLag;
    text.replace(text.find(all), all.size(), options);
    const Expanded lag = expand_text(text);
    std::string said;
    for (const auto& [name, attribute] : lag.at("s1/bond/bond0").desired) {
      for (const char* option :
           {"ad_select",
            "downdelay",
            "hash_policy",
            "lacp_rate",
            "min_links",
            "primary",
            "updelay"}) {
        if (name == option) said += name + "=" + to_text(attribute.value) + " ";
      }
    }
    return said;
  };
  CHECK(
      wanted("policy: 1, miimon: 100, updelay: 150, downdelay: 99") == "downdelay=0 updelay=100 ");
  CHECK(wanted("policy: 2, miimon: 0, updelay: 150, downdelay: 200").empty());
  CHECK(wanted("policy: 1, lacp_rate: fast, ad_select: count, min_links: 1").empty());
  CHECK(wanted("policy: 1, hash_policy: layer3+4, primary: cx4/1") == "primary=cx4/1 ");
  CHECK(
      wanted("policy: 5, hash_policy: layer3+4, primary: cx4/1") ==
      "hash_policy=layer3+4 primary=cx4/1 ");
  CHECK(wanted("policy: 2, hash_policy: layer3+4, primary: cx4/1") == "hash_policy=layer3+4 ");
  CHECK(wanted("policy: 0, hash_policy: layer3+4, primary: cx4/1").empty());
}

constexpr const char* kVlans = R"(apiVersion: fabric/v1
name: vlans
nodes:
  h[1-2]:
    adopt: true
    adapters:
      cx5: {model: connectx-5-en}
networks:
  guests:
    mode: ethernet
    mtu: 1500
    ports: ["h1/cx5/[1-2]", h2/cx5/1]
    vlans:
      red: {id: 7}
)";

TEST_CASE("a VLAN is on every port of the network; with several, its name says which", "[model]") {
  const Expanded vlans = expand_text(kVlans);
  CHECK(
      vlans.addresses("vlan") ==
      Lines{"h1/vlan/guests.red.cx5.1", "h1/vlan/guests.red.cx5.2", "h2/vlan/guests.red"});
  const Resource& vlan = vlans.at("h1/vlan/guests.red.cx5.2");
  CHECK(beneath(vlan) == Lines{"h1/interface/cx5.2"});
  CHECK(*vlan.binding.at("port").as_integer() == 2);
  CHECK(vlan.binding.at("adopt") == Value{true});
  CHECK(feature_names(vlan) == Lines{"adopt", ""});
  CHECK(vlans.features() == Lines{"5: `adopt`", "14: `vlans`"});
}

}  // namespace
}  // namespace fabric
