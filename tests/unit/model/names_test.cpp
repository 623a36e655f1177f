// SPDX-License-Identifier: Apache-2.0
#include "engine/model/names.hpp"

#include "tests/support/catch.hpp"

namespace fabric {
namespace {

TEST_CASE("a MAC address is read in every common spelling and printed in one") {
  for (const char* text :
       {"11:22:33:aa:bb:cc", "11-22-33-AA-BB-CC", "1122.33aa.bbcc", "112233aabbcc"}) {
    const auto address = MacAddress::parse(text);
    REQUIRE(address);
    CHECK(address->str() == "11:22:33:aa:bb:cc");
  }
}

TEST_CASE("what only looks like a MAC address is refused by name") {
  for (const char* text :
       {"",
        "11:22:33:44:55",
        "11:22:33:44:55:6",
        "11:22:33:44:55:6g",
        "11:22:33:44:55:66:77",
        "1:2:3:4:5:6",
        "11:22-33:44-55:66"}) {
    const auto address = MacAddress::parse(text);
    REQUIRE_FALSE(address);
    CHECK(address.error().message.find(text) != std::string::npos);
  }
}

TEST_CASE("a GUID keeps its 64 bits in every spelling that tools print") {
  for (const char* text :
       {"0x43f720300cfef92",
        "0x043f720300cfef92",
        "043f:7203:00cf:ef92",
        "043f720300cfef92",
        "04:3f:72:03:00:cf:ef:92"}) {
    const auto guid = Guid::parse(text);
    REQUIRE(guid);
    CHECK(guid->bits() == 0x043f720300cfef92ULL);
    CHECK(guid->str() == "0x043f720300cfef92");
  }
  for (const char* text : {"", "0x", "43f720300cfef92", "0x1043f720300cfef92", "043f:7203:00cf"}) {
    CHECK_FALSE(Guid::parse(text));
  }
}

TEST_CASE("a PCI address may leave out its domain") {
  const auto address = PciAddress::parse("5e:00.1");
  REQUIRE(address);
  CHECK(address->str() == "0000:5e:00.1");
  CHECK(address->with_function(0).str() == "0000:5e:00.0");
  CHECK(*PciAddress::parse("0000:5E:00.1") == *address);
  CHECK(PciAddress::parse("10000:01:1f.7")->str() == "10000:01:1f.7");
  for (const char* text :
       {"",
        "5e",
        "5e:00",
        "5e:20.0",
        "5e:00.8",
        "0000:5e:00.0.0",
        "x:5e:00.0",
        "00:5e:00.0",
        "0000:5e:00.0 "}) {
    CHECK_FALSE(PciAddress::parse(text));
  }
}

TEST_CASE("versions compare number by number") {
  const auto version = [](const char* text) {
    return *Version::parse(text);
  };
  CHECK(version("3.10") > version("3.6"));
  CHECK(version("16.35.2000") > version("16.22.1002"));
  CHECK(version("4.9") == version("4.9.0"));
  CHECK(version("4.9") < version("4.9.0.1"));
  CHECK(version("02.1") == version("2.01"));
  CHECK(version("99999999999999999999999.1") > version("99999999999999999999998.9"));
}

TEST_CASE("a version is the leading numbers of the text") {
  CHECK(Version::parse("5.15.0-88-generic")->str() == "5.15.0");
  CHECK(Version::parse("8.0 Update 2")->str() == "8.0");
  CHECK(Version::parse("16.")->str() == "16");
  for (const char* text : {"", "v4.9", ".5", "4..9", "unknown"})
    CHECK_FALSE(Version::parse(text));
}

TEST_CASE("a port prints as people write it") {
  const NodeName pve1 = *NodeName::parse("pve1");
  CHECK(PortRef{pve1, "cx5", "2"}.str() == "pve1/cx5/2");
  CHECK(PortRef{pve1, "cx5", "2"}.number() == 2);
  CHECK(PortRef{*NodeName::parse("leaf1"), "", "1/7/2"}.str() == "leaf1/1/7/2");
}

}  // namespace
}  // namespace fabric
