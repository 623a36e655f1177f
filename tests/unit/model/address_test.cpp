// SPDX-License-Identifier: Apache-2.0
#include "engine/model/address.hpp"

#include "tests/support/catch.hpp"

namespace fabric {
namespace {

Subnet subnet(const char* text) {
  return *Subnet::parse(text);
}
IpAddress address(const char* text) {
  return *IpAddress::parse(text);
}

TEST_CASE("addresses of both families are read and printed in their shortest form") {
  CHECK(address("10.30.0.1").str() == "10.30.0.1");
  CHECK(address("10.30.0.1").family() == Family::ipv4);
  CHECK(address("FD00:0:0::1").str() == "fd00::1");
  CHECK(address("fd00::1").family() == Family::ipv6);
  for (const char* text :
       {"", "10.30.0", "10.30.0.256", "010.30.0.1", "10.30.0.1 ", "fd00:::1", "pve1"}) {
    CHECK_FALSE(IpAddress::parse(text));
  }
  CHECK_FALSE(IpAddress::parse(std::string_view{"10.30.0.1\0x", 11}));
}

TEST_CASE("a subnet with bits beyond its prefix is refused with the one that was meant") {
  const auto wrong = Subnet::parse("10.30.0.1/24");
  REQUIRE_FALSE(wrong);
  CHECK(wrong.error().message.find("10.30.0.0/24") != std::string::npos);
  for (const char* text : {"10.30.0.0", "10.30.0.0/33", "10.30.0.0/", "fd00::/129", "fd00::1/64"}) {
    CHECK_FALSE(Subnet::parse(text));
  }
  CHECK(subnet("fd00::/64").str() == "fd00::/64");
  CHECK(subnet("0.0.0.0/0").str() == "0.0.0.0/0");
}

TEST_CASE("a subnet knows its addresses") {
  CHECK(subnet("10.30.0.0/20").contains(address("10.30.15.255")));
  CHECK_FALSE(subnet("10.30.0.0/20").contains(address("10.30.16.0")));
  CHECK_FALSE(subnet("10.30.0.0/24").contains(address("fd00::1")));
  CHECK(subnet("0.0.0.0/0").contains(address("255.255.255.255")));
  CHECK(subnet("10.30.0.0/24").overlaps(subnet("10.30.0.128/25")));
  CHECK(subnet("10.30.0.128/25").overlaps(subnet("10.30.0.0/24")));
  CHECK_FALSE(subnet("10.30.0.0/25").overlaps(subnet("10.30.0.128/25")));
}

TEST_CASE("host numbers count from the network address") {
  CHECK(subnet("10.30.0.0/24").host(1)->str() == "10.30.0.1");
  CHECK(subnet("10.30.0.0/16").host(300)->str() == "10.30.1.44");
  CHECK(subnet("fd00::/64").host(0x10001)->str() == "fd00::1:1");
  CHECK(subnet("fd00::/64").host(~std::uint64_t{0})->str() == "fd00::ffff:ffff:ffff:ffff");
  CHECK(subnet("0.0.0.0/0").host(1)->str() == "0.0.0.1");
}

TEST_CASE("the network, broadcast and everything outside are no hosts") {
  CHECK(
      subnet("10.30.0.0/24").host(0).error().message ==
      "10.30.0.0 is the network address of 10.30.0.0/24");
  CHECK(
      subnet("10.30.0.0/24").host(255).error().message ==
      "10.30.0.255 is the broadcast address of 10.30.0.0/24");
  CHECK(
      subnet("10.30.0.0/24").host(256).error().message == "10.30.0.0/24 has no address number 256");
  CHECK_FALSE(subnet("10.30.0.0/24").host(~std::uint64_t{0}));
  CHECK_FALSE(subnet("fd00::/64").host(0));
}

TEST_CASE("a subnet of two addresses has no broadcast") {
  CHECK(subnet("10.0.0.0/31").host(0)->str() == "10.0.0.0");
  CHECK(subnet("10.0.0.0/31").host(1)->str() == "10.0.0.1");
  CHECK_FALSE(subnet("10.0.0.0/31").host(2));
  CHECK(subnet("10.0.0.1/32").host(0)->str() == "10.0.0.1");
}

TEST_CASE("a destination of routes without a length is one host", "[model]") {
  CHECK(Subnet::of_destination("10.30.0.7")->str() == "10.30.0.7/32");
  CHECK(Subnet::of_destination("fd00::7")->str() == "fd00::7/128");
  CHECK(Subnet::of_destination("10.30.0.0/24")->str() == "10.30.0.0/24");
  CHECK_FALSE(Subnet::of_destination("10.30.0.7/24"));
  CHECK_FALSE(Subnet::of_destination("unreachable"));
}

}  // namespace
}  // namespace fabric
