// SPDX-License-Identifier: Apache-2.0
#include "plans/interruption/left_for_boot.hpp"

#include "tests/support/catch.hpp"

using namespace fabric;
using namespace fabric::plans;

namespace {

NodeName name(const char* text) {
  return NodeName::parse(text).value();
}

CableSpec cable(const char* host, const char* leaf, const char* port) {
  return {{{name(host), "cx6", "1"}, {}}, {{name(leaf), "", port}, {}}, {}, {}, {}, {}, {}};
}

// s1 and s2 behind leaf1, s2 behind leaf2 as well.
FabricSpec two_switches() {
  FabricSpec spec;
  for (const char* each : {"s1", "s2", "leaf1", "leaf2"}) {
    NodeSpec node{name(each)};
    node.platform.value = each[0] == 'l' ? Platform::mlnx_os : Platform::linux;
    spec.nodes.emplace(name(each), std::move(node));
  }
  spec.networks["ib"].cables = {
      cable("s1", "leaf1", "1/1"), cable("s2", "leaf1", "1/2"), cable("s2", "leaf2", "1/1")};
  return spec;
}

Resource resource(const char* node, const char* kind, const char* what) {
  return {{name(node), kind, what}, {}, {}, {}, {}};
}

using Behind = std::map<NodeName, std::set<NodeName>>;

}  // namespace

TEST_CASE(
    "a boot of a switch and a restart of its manager interrupt all that are cabled to it",
    "[plans]") {
  const FabricSpec spec = two_switches();
  const std::vector<Resource> resources{resource("leaf1", "subnet_manager", "ib")};
  const Behind all{{name("leaf1"), {name("s1"), name("s2")}}};
  CHECK(hosts_behind({}, resources, {name("leaf1")}, spec, {}) == all);
  CHECK(hosts_behind({resources[0].address}, resources, {}, spec, {}) == all);
  // One that is started only.
  CHECK(hosts_behind({}, resources, {}, spec, {}).empty());
  // Who is down has nothing to lose.
  CHECK(
      hosts_behind({}, resources, {name("leaf1")}, spec, {{name("s1")}, {}}) ==
      Behind{{name("leaf1"), {name("s2")}}});
  CHECK(hosts_behind({}, resources, {name("s1")}, spec, {}).empty());
}

TEST_CASE("a change of a switch's port interrupts the host behind that port alone", "[plans]") {
  const FabricSpec spec = two_switches();
  std::vector<Resource> resources{
      resource("leaf1", "interface", "1/1"),
      resource("leaf1", "interface", "1/2"),
      resource("s1", "interface", "cx6.1"),
      resource("s2", "interface", "cx6.1")};
  resources[2].after = {resources[0].address};
  resources[3].after = {resources[1].address, resources[2].address};
  CHECK(
      hosts_behind({resources[0].address}, resources, {}, spec, {}) ==
      Behind{{name("leaf1"), {name("s1")}}});
  // A host that waits for another is behind no switch by that.
  CHECK(hosts_behind({resources[2].address}, resources, {}, spec, {}).empty());
}
