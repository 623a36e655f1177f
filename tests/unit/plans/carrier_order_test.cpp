// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "engine/model/resource_keys.hpp"
#include "plans/edges.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/fake_provider.hpp"

using namespace fabric;
using fabric::plans::carrier_order;
using fabric::plans::Order;
using fabric::test::address;
using fabric::test::node;

namespace {

using Lines = std::vector<std::string>;

Change change(const char* text, const char* network, std::int64_t now, std::int64_t wanted) {
  Change made{Resource{address(text), {}, {}, {}, {}}, ChangeKind::update, {}};
  made.resource.binding.emplace(keys::kNetwork, network);
  AttributeChange& mtu = made.attributes.emplace_back();
  mtu.attribute = "mtu";
  mtu.observed.running = Reading::of(now);
  mtu.desired = wanted;
  mtu.activate = true;
  return made;
}

// A manager that runs and is to hand out something else.
Change manager(const char* text, std::vector<ResourceAddress> after = {}) {
  Change made{Resource{address(text), {}, {}, std::move(after), {}}, ChangeKind::update, {}};
  made.resource.binding.emplace(keys::kNetwork, "ib");
  made.attributes.emplace_back().attribute = "partitions";
  made.attributes.back().activate = true;
  return made;
}

CableSpec cable(const char* host, const char* port, const char* leaf, const char* at) {
  const std::string adapter = std::string_view{host}.starts_with("leaf") ? "" : "cx5";
  return {{{node(host), adapter, port}, {}}, {{node(leaf), "", at}, {}}, {}, {}, {}, {}, {}};
}

// a and b in one network, each at a leaf of its own; c in another at leaf1.
FabricSpec two_leaves() {
  FabricSpec spec;
  for (const char* name : {"a", "b", "c", "leaf1", "leaf2"}) {
    NodeSpec each{node(name)};
    if (std::string_view{name}.starts_with("leaf")) each.platform.value = Platform::cumulus;
    spec.nodes.emplace(each.name, each);
  }
  NetworkSpec lan;
  lan.name = "lan";
  lan.mode.value = Mode::ethernet;
  lan.cables = {
      cable("a", "1", "leaf1", "1"),
      cable("b", "1", "leaf2", "1"),
      cable("leaf1", "9", "leaf2", "9")};
  NetworkSpec other;
  other.name = "other";
  other.mode.value = Mode::ethernet;
  other.cables = {cable("c", "1", "leaf1", "3")};
  NetworkSpec ib;
  ib.name = "ib";
  ib.mode.value = Mode::infiniband;
  for (const NetworkSpec& each : {lan, other, ib})
    spec.networks.emplace(each.name, each);
  return spec;
}

Lines lines(const std::set<Order::Pair>& pairs) {
  Lines lines;
  for (const auto& [before, after] : pairs)
    lines.push_back(before.str() + " < " + after.str());
  return lines;
}

}  // namespace

TEST_CASE("a larger MTU comes from all switches to the hosts, a smaller one back", "[plans]") {
  const auto changes = [](std::int64_t now, std::int64_t wanted) {
    return std::vector<Change>{
        change("a/interface/cx5.1", "lan", now, wanted),
        change("b/vswitch/vSwitch1", "lan", now, wanted),
        change("c/interface/cx5.1", "other", now, wanted),
        change("leaf1/interface/1", "lan", now, wanted),
        change("leaf1/interface/3", "other", now, wanted),
        change("leaf1/interface/9", "lan", now, wanted),
        change("leaf2/interface/9", "lan", now, wanted)};
  };
  FabricSpec spec = two_leaves();
  spec.networks.at("lan").vswitch.value = "vSwitch1";
  std::vector<Change> raised = changes(1500, 9000);
  raised[0].resource.after = {address("leaf1/interface/1")};
  const Order up = carrier_order(spec, raised);
  CHECK(
      lines(up.edges) == Lines{
                             "leaf1/interface/1 < leaf1/interface/9",
                             "leaf1/interface/3 < c/interface/cx5.1",
                             "leaf1/interface/9 < a/interface/cx5.1",
                             "leaf1/interface/9 < b/vswitch/vSwitch1",
                             "leaf2/interface/9 < a/interface/cx5.1",
                             "leaf2/interface/9 < b/vswitch/vSwitch1"});
  CHECK(up.dropped.empty());
  std::vector<Change> lowered = changes(9000, 1500);
  lowered[0].resource.after = {address("leaf1/interface/1")};
  const Order down = carrier_order(spec, lowered);
  CHECK(
      lines(down.edges) == Lines{
                               "a/interface/cx5.1 < leaf1/interface/1",
                               "a/interface/cx5.1 < leaf2/interface/9",
                               "b/vswitch/vSwitch1 < leaf1/interface/1",
                               "b/vswitch/vSwitch1 < leaf2/interface/9",
                               "c/interface/cx5.1 < leaf1/interface/3",
                               "leaf1/interface/1 < leaf1/interface/9"});
  CHECK(lines(down.dropped) == Lines{"leaf1/interface/1 < a/interface/cx5.1"});
  // What is right already, or only looked at, keeps nobody waiting.
  std::vector<Change> alone{change("a/interface/cx5.1", "lan", 1500, 9000)};
  CHECK(carrier_order(spec, alone).empty());
  lowered[3].resource.binding.emplace(keys::kObserve, true);
  CHECK(carrier_order(spec, lowered).dropped.empty());
}

TEST_CASE("IPoIB grows after all managers of its subnet, and shrinks before them", "[plans]") {
  const auto changes = [](std::int64_t now, std::int64_t wanted) {
    std::vector<Change> all{
        change("m1/interface/hca.1", "ib", now, wanted),
        manager("m1/subnet_manager/ib.hca.1", {address("m2/subnet_manager/ib.hca.1")}),
        change("m2/interface/hca.1", "ib", now, wanted),
        manager("m2/subnet_manager/ib.hca.1")};
    all[0].resource.after = {
        address("m1/subnet_manager/ib.hca.1"), address("m2/subnet_manager/ib.hca.1")};
    all[2].resource.after = {address("m2/subnet_manager/ib.hca.1")};
    return all;
  };
  const Order up = carrier_order(two_leaves(), changes(2044, 4092));
  CHECK(up.edges.contains({address("m1/subnet_manager/ib.hca.1"), address("m2/interface/hca.1")}));
  CHECK(up.dropped.empty());
  const Order down = carrier_order(two_leaves(), changes(4092, 2044));
  CHECK(down.edges.size() == 4);
  CHECK(
      down.edges.contains({address("m2/interface/hca.1"), address("m1/subnet_manager/ib.hca.1")}));
  CHECK(down.dropped.size() == 3);
  // One that is only started has handed out nothing yet.
  std::vector<Change> first = changes(2044, 4092);
  first[1].attributes.emplace_back().attribute = "manages";
  first[1].attributes.back().activate = true;
  CHECK_FALSE(
      carrier_order(two_leaves(), first)
          .edges.contains({address("m1/subnet_manager/ib.hca.1"), address("m2/interface/hca.1")}));
}

TEST_CASE("managers that go do so after the IPoIB that goes, on whichever node", "[plans]") {
  std::vector<Change> all{
      change("m1/interface/hca.1", "ib", 2044, 0),
      manager("m1/subnet_manager/ib.hca.1"),
      change("m2/interface/hca.1", "ib", 2044, 0)};
  for (Change& each : all) {
    each.kind = ChangeKind::remove;
    for (AttributeChange& attribute : each.attributes)
      attribute.desired = Value{};
  }
  CHECK(
      lines(carrier_order(two_leaves(), all).edges) ==
      Lines{
          "m1/interface/hca.1 < m1/subnet_manager/ib.hca.1",
          "m2/interface/hca.1 < m1/subnet_manager/ib.hca.1"});
}
