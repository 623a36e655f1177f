// SPDX-License-Identifier: Apache-2.0
#include "providers/linux/kinds/interface/link/running_state.hpp"

#include "tests/unit/providers/fixture.hpp"

namespace fabric::providers {
namespace {

using namespace test;

constexpr const char* kName = "ibp1s0.8010";

// As iproute2 of Debian 12 told of a child that networkd had made by netlink.
constexpr const char* kIp =
    R"([{"ifname":"ibp1s0.8010","link":"ibp1s0","flags":["BROADCAST","UP"],"mtu":4092,)"
    R"("link_type":"infiniband","linkinfo":{"info_kind":"ipoib","info_data":{"key":"0x8010",)"
    R"("mode":"datagram","umcast":"0000"}},"addr_info":[]}])";

RunningAttributes attributes(const std::string& sysfs) {
  const NodeFacts facts = node_facts({{"ip-addr", kIp}, {"link-details", sysfs}});
  LinkTarget target{.address = {*NodeName::parse("pve1"), "ipoib", "cx5.1.8010"}, .marker = "#\n"};
  target.kind = LinkKind::ipoib_child;
  target.name = kName;
  return running_attributes(facts, running_links(facts), kName, target);
}

TEST_CASE("a P_Key child without files in /sys is read from what ip tells", "[providers]") {
  RunningAttributes found = attributes("/sys/class/net/ibp1s0.8010/type:32\n");
  CHECK(found.at("ipoib_mode") == Reading::of("datagram"));
  CHECK(found.at("pkey") == Reading::of(0x10));
  CHECK(found.at("mtu") == Reading::of(4092));
}

TEST_CASE("where the child has files in /sys they count", "[providers]") {
  RunningAttributes found = attributes(
      "/sys/class/net/ibp1s0.8010/mode:connected\n/sys/class/net/ibp1s0.8010/pkey:0x8011\n");
  CHECK(found.at("ipoib_mode") == Reading::of("connected"));
  CHECK(found.at("pkey") == Reading::of(0x11));
}

TEST_CASE(
    "routes are read as the document has them, whatever the kernel leaves out", "[providers]") {
  const NodeFacts facts = node_facts(
      {{"ip-addr", kIp},
       {"ip-route",
        R"([{"dst":"default","gateway":"10.30.0.254","dev":"ibp1s0.8010"},)"
        R"({"dst":"10.9.0.1","gateway":"10.30.0.253","dev":"ibp1s0.8010"},)"
        R"({"dst":"10.10.0.0/16","gateway":"10.30.0.253","dev":"ibp1s0.8010"}])"
        "\n"
        R"([{"dst":"fd00:9::1","gateway":"fd00:30::2","dev":"ibp1s0.8010"}])"},
       {"link-details", "/sys/class/net/ibp1s0.8010/type:32\n"}});
  LinkTarget target{.address = {*NodeName::parse("pve1"), "ipoib", "cx5.1.8010"}, .marker = "#\n"};
  RunningAttributes found = running_attributes(facts, running_links(facts), kName, target);
  CHECK(found.at("gateway") == Reading::of("10.30.0.254"));
  CHECK(
      found.at("routes") == Reading::of(List{
                                Map{{"to", "10.9.0.1/32"}, {"via", "10.30.0.253"}},
                                Map{{"to", "10.10.0.0/16"}, {"via", "10.30.0.253"}},
                                Map{{"to", "fd00:9::1/128"}, {"via", "fd00:30::2"}}}));
}

TEST_CASE(
    "a gateway that ifupdown2 calls the kernel's was written, what a router told was not",
    "[providers]") {
  const auto gateway_of = [](const std::string& more) {
    const NodeFacts facts = node_facts(
        {{"ip-addr", kIp},
         {"ip-route",
          R"([{"dst":"default","gateway":"10.30.0.254","dev":"ibp1s0.8010",)" + more + "}]\n[]\n"},
         {"link-details", "/sys/class/net/ibp1s0.8010/type:32\n"}});
    LinkTarget target{
        .address = {*NodeName::parse("pve1"), "ipoib", "cx5.1.8010"}, .marker = "#\n"};
    return running_attributes(facts, running_links(facts), kName, target).contains("gateway");
  };
  CHECK(gateway_of(R"("protocol":"kernel","flags":["onlink"])"));
  CHECK_FALSE(gateway_of(R"("protocol":"kernel","expires":1797)"));
  CHECK_FALSE(gateway_of(R"("protocol":"ra")"));
  CHECK_FALSE(gateway_of(R"("protocol":"dhcp")"));
}

}  // namespace
}  // namespace fabric::providers
