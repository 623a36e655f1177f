// SPDX-License-Identifier: Apache-2.0
#include "engine/verify/orders/work_orders.hpp"

#include "tests/support/catch.hpp"
#include "tests/unit/verify/ring.hpp"

namespace fabric::verify::test {

namespace {

// pve1/1 and pve3/1 have each other's cables.
discovery::Snapshot swapped() {
  discovery::Snapshot snapshot = healthy(4);
  snapshot.nodes.at(node(1)) =
      observed(1, link_state(1), lldp(neighbour(1, 4, 2) + "," + neighbour(2, 4, 1)));
  snapshot.nodes.at(node(2)) =
      observed(2, link_state(2), lldp(neighbour(1, 3, 2) + "," + neighbour(2, 3, 1)));
  snapshot.nodes.at(node(3)) =
      observed(3, link_state(3), lldp(neighbour(1, 2, 2) + "," + neighbour(2, 2, 1)));
  snapshot.nodes.at(node(4)) =
      observed(4, link_state(4), lldp(neighbour(1, 1, 2) + "," + neighbour(2, 1, 1)));
  return snapshot;
}

FabricSpec in_racks() {
  FabricSpec spec = ring(4);
  for (auto& [name, node] : spec.nodes)
    node.labels = {{"rack", {"r-" + name.str(), {}}}, {"unit", {"12", {}}}};
  spec.networks.at("storage").cables[0].label = "K17";
  return spec;
}

}  // namespace

TEST_CASE("two swapped cables are two moves of plugs, together", "[verify]") {
  const FabricSpec spec = in_racks();
  const std::vector<WorkOrder> orders = work_orders(spec, judge(spec, swapped(), {}));
  REQUIRE(orders.size() == 2);
  CHECK(orders[0].task == Task::move);
  CHECK(orders[0].number == cable_number("pve1/cx5/1", "pve2/cx5/2"));
  CHECK(orders[0].together == orders[0].number);
  CHECK(orders[1].together == orders[0].number);
  CHECK(orders[0].label == "K17");
  CHECK(orders[0].plug.rack == "r-pve3");
  CHECK(orders[0].plug.port == "cx5/1");
  CHECK(orders[0].to.node == "pve1");
  CHECK(orders[0].to.unit == "12");
  CHECK(orders[0].other.node == "pve2");
  CHECK(orders[0].proof == Proof::mac);
}

TEST_CASE("the number of a cable is that of its ends and of nothing else", "[verify]") {
  CHECK(cable_number("a/x/1", "b/x/2") == cable_number("b/x/2", "a/x/1"));
  CHECK(cable_number("a/x/1", "b/x/2") != cable_number("a/x/1", "b/x/1"));
  CHECK(cable_number("a/x/1", "b/x/2").size() == 11);
  // Another fault, the same cable: a list that was printed before still says which one it is.
  const FabricSpec spec = in_racks();
  discovery::Snapshot dark = healthy(4);
  dark.nodes.at(node(1)) = observed(1, link_state(1, false, true), lldp(neighbour(2, 4, 1)));
  dark.nodes.at(node(2)) = observed(2, link_state(2, true, false), lldp(neighbour(1, 3, 2)));
  const std::vector<WorkOrder> orders = work_orders(spec, judge(spec, dark, {}));
  REQUIRE(orders.size() == 1);
  CHECK(orders[0].task == Task::connect);
  CHECK(orders[0].plug.empty());
  CHECK(orders[0].proof == Proof::carrier);
  CHECK(orders[0].number == work_orders(spec, judge(spec, swapped(), {}))[0].number);
}

TEST_CASE("a link at one end alone is looked at, and what is as it should be is not", "[verify]") {
  const FabricSpec spec = in_racks();
  CHECK(work_orders(spec, judge(spec, healthy(4), {})).empty());
  discovery::Snapshot half = healthy(4);
  half.nodes.at(node(1)) = observed(1, link_state(1, false, true), lldp(neighbour(2, 4, 1)));
  half.nodes.at(node(2)) = observed(2, link_state(2), lldp(neighbour(1, 3, 2)));
  const std::vector<WorkOrder> orders = work_orders(spec, judge(spec, half, {}));
  REQUIRE(orders.size() == 1);
  CHECK(orders[0].task == Task::check);
  CHECK(orders[0].plug.node == "pve1");
  CHECK(orders[0].other.node == "pve2");
}

TEST_CASE("a stranger at a port is moved where its cable belongs", "[verify]") {
  const FabricSpec spec = in_racks();
  discovery::Snapshot snapshot = healthy(4);
  const std::string stranger =
      R"x({"name":"ens1f0np0","via":"LLDP","chassis":[{"id":[{"type":"mac","value":"aa:aa:aa:aa:aa:01"}],)x"
      R"x("name":[{"value":"=cmd()"}]}],"port":[{"id":[{"type":"ifname","value":"eth0"}]}]})x";
  snapshot.nodes.at(node(1)) =
      observed(1, link_state(1), lldp(stranger + "," + neighbour(2, 4, 1)));
  snapshot.nodes.at(node(2)) = observed(2, link_state(2, true, false), lldp(neighbour(1, 3, 2)));
  const std::vector<WorkOrder> orders = work_orders(spec, judge(spec, snapshot, {}));
  REQUIRE(orders.size() == 1);
  CHECK(orders[0].task == Task::move);
  CHECK(orders[0].plug.node.empty());
  CHECK(orders[0].plug.port == "=cmd() port eth0");
  CHECK(orders[0].to.node == "pve2");
  CHECK(orders[0].proof == Proof::lldp);
}

}  // namespace fabric::verify::test
