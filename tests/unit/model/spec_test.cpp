// SPDX-License-Identifier: Apache-2.0
#include "engine/model/spec.hpp"

#include "engine/model/resource.hpp"

#include "tests/support/catch.hpp"

namespace fabric {
namespace {

NodeName name(const char* text) {
  return *NodeName::parse(text);
}
Sourced<PortRef> port(const char* node, const char* adapter, const char* number) {
  return {PortRef{name(node), adapter, number}, {}};
}

TEST_CASE("enumerations print as the document spells them") {
  CHECK(to_string(Platform::esx_classic) == "esx-classic");
  CHECK(to_string(Platform::mlnx_os) == "mlnx-os");
  CHECK(to_string(Mode::infiniband) == "infiniband");
  CHECK(to_string(NodeState::observe) == "observe");
  CHECK(to_string(NetworkBackend::automatic) == "auto");
  CHECK(is_switch(Platform::unmanaged));
  CHECK_FALSE(is_switch(Platform::esxi));
}

TEST_CASE("the member ports of a network are those of its cables and its list, each once") {
  NetworkSpec network;
  network.cables.push_back({port("b", "x", "2"), port("a", "x", "1"), {}, {}, {}, {}, {}});
  network.cables.push_back({port("b", "x", "1"), port("leaf1", "", "7"), {}, {}, {}, {}, {}});
  network.ports = {port("a", "x", "1"), port("a", "x", "2")};
  std::vector<std::string> members;
  for (const PortRef& member : network.member_ports())
    members.push_back(member.str());
  CHECK(members == std::vector<std::string>{"a/x/1", "a/x/2", "b/x/1", "b/x/2", "leaf1/7"});
}

TEST_CASE("a resource address is read back as it prints") {
  const auto address = ResourceAddress::parse("pve1/sysctl/net/core");
  REQUIRE(address);
  CHECK(address->node == name("pve1"));
  CHECK(address->kind == "sysctl");
  CHECK(address->name == "net/core");
  CHECK(address->str() == "pve1/sysctl/net/core");
  for (const char* text : {"", "pve1", "pve1/sysctl", "pve1/sysctl/", "pve1//x", "-a/b/c"}) {
    CHECK_FALSE(ResourceAddress::parse(text));
  }
}

}  // namespace
}  // namespace fabric
