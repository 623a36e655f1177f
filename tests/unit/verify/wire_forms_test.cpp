// SPDX-License-Identifier: Apache-2.0
// Which adapter of a subnet is which of the document, by all that tells, and by nothing else.
#include "tests/support/catch.hpp"
#include "tests/unit/verify/one_host.hpp"

namespace fabric::verify::test {
namespace {

TEST_CASE("adapters of one host are told apart by their devices", "[verify][wire]") {
  const FabricSpec spec = one_host({"mlx5_0", "mlx5_1", "mlx5_2"});
  CHECK(
      states(judge_wire(
          spec, one_leaf({"C1 mlx5_0", "c1 mlx5_1 ", "c1.example.org mlx5_2"}).seen())) ==
      "ok ok ok");
  const Report swapped = judge_wire(spec, one_leaf({"c1 mlx5_1", "c1 mlx5_0", "c1 mlx5_2"}).seen());
  CHECK(states(swapped) == "mis-wired mis-wired ok");
  CHECK(
      swapped.cables[0].detail ==
      "c1/mlx5_0/1 is cabled to leaf1/2; leaf1/1 is cabled to c1/mlx5_1/1");
}

TEST_CASE("interfaces and PCI addresses tell adapters apart", "[verify][wire]") {
  FabricSpec spec = one_host({"rail0", "rail1"});
  std::vector<AdapterSpec>& adapters = spec.nodes.at(named("c1")).adapters.edit();
  SECTION("by the name of the interface") {
    adapters[0].names[1].value = "ibp11s0f0";
    adapters[1].names[1].value = "ibp213s0f0";
  }
  SECTION("by the address, whose bus is decimal in the name") {
    adapters[0].selector.pci.value = "0000:0b:00.0";
    adapters[1].selector.pci.value = "0000:d5:00.0";
  }
  CHECK(states(judge_wire(spec, one_leaf({"c1 ibp11s0f0", "c1 ibp213s0f0"}).seen())) == "ok ok");
  CHECK(
      states(judge_wire(spec, one_leaf({"c1 ibp213s0f0", "c1 ibp11s0f0"}).seen())) ==
      "mis-wired mis-wired");
}

TEST_CASE(
    "adapters that are called otherwise are told by where they are cabled", "[verify][wire]") {
  const FabricSpec spec = one_host({"rail0", "rail1", "rail2"});
  CHECK(
      states(judge_wire(spec, one_leaf({"c1 HCA-1", "c1 HCA-2", "c1 HCA-3"}).seen())) ==
      "ok ok ok");
  // And the last one by what is left.
  Subnet moved = one_leaf({"c1 HCA-1", "c1 HCA-2", "c1 HCA-3"});
  moved.put(moved.add(IbNodeType::channel_adapter, "x9 HCA-1", 0xdd00, 1), 1, 0, 9);
  const std::size_t other = moved.topology.nodes.size() - 1;
  moved.join(3, 1, 0, 9);
  moved.join(other, 1, 0, 3);
  const Report report = judge_wire(spec, moved.seen());
  CHECK(states(report) == "ok ok mis-wired");
  CHECK(
      report.cables[2].detail ==
      "c1/rail2/1 is cabled to leaf1/9; leaf1/3 is cabled to an unknown device, 'x9 HCA-1' "
      "(0x000000000000dd00) port 1");
}

TEST_CASE("a device of another number is not the one of the document", "[verify][wire]") {
  const FabricSpec spec = one_host({"mlx5_3"});
  const Report report = judge_wire(spec, one_leaf({"c1 mlx5_4"}).seen());
  CHECK(states(report) == "mis-wired");
  CHECK(
      report.cables[0].detail ==
      "leaf1/1 is cabled to an adapter of c1, 'c1 mlx5_4' (0x000000000000cc10) port 1");
}

TEST_CASE("an adapter without a name is what is left, or nobody knows", "[verify][wire]") {
  const std::string factory = "MT4123 ConnectX6   Mellanox Technologies";
  const FabricSpec spec = one_host({"mlx5_0", "mlx5_1", "mlx5_2"});
  CHECK(
      states(judge_wire(spec, one_leaf({"c1 mlx5_0", factory, "c1 mlx5_2"}).seen())) == "ok ok ok");
  const Report two = judge_wire(spec, one_leaf({"c1 mlx5_0", factory, factory}).seen());
  CHECK(states(two) == "ok no-data no-data");
  REQUIRE(two.findings.size() == 1);
  CHECK(two.findings[0].rule == "cable-unproven");
  // Unless they are of two models, each that of its port in the document.
  FabricSpec models = spec;
  std::vector<AdapterSpec>& adapters = models.nodes.at(named("c1")).adapters.edit();
  adapters[1].hardware = find_hardware("connectx-6-vpi");
  adapters[2].hardware = find_hardware("connectx-4-vpi");
  Subnet told = one_leaf({"c1 mlx5_0", factory, factory});
  told.topology.nodes[2].device_id = 0x101b;
  told.topology.nodes[3].device_id = 0x1013;
  CHECK(states(judge_wire(models, told.seen())) == "ok ok ok");
  told.topology.nodes[2].device_id = told.topology.nodes[3].device_id = 0x5a44;
  CHECK(states(judge_wire(models, told.seen())) == "ok no-data no-data");
  // One that is elsewhere is not said to be ours.
  Subnet elsewhere = one_leaf({"c1 mlx5_0", factory, "c1 mlx5_2"});
  elsewhere.join(2, 1, 0, 20);
  CHECK(states(judge_wire(spec, elsewhere.seen())) == "ok missing ok");
}

TEST_CASE("a GUID of the document names an adapter whatever it calls itself", "[verify][wire]") {
  FabricSpec spec = one_host({"mlx5_0", "mlx5_1"});
  std::vector<AdapterSpec>& adapters = spec.nodes.at(named("c1")).adapters.edit();
  adapters[0].selector.node_guid.value = "0xcc20";
  adapters[1].selector.node_guid.value = "0xcc10";
  CHECK(
      states(judge_wire(spec, one_leaf({"c1 mlx5_0", "c1 mlx5_1"}).seen())) ==
      "mis-wired mis-wired");
}

TEST_CASE(
    "a device of another kind that calls itself as the host is no proof of a wrong cable",
    "[verify][wire]") {
  const FabricSpec spec = one_host({"mlx5_0"});
  for (const auto& [name, state] : {std::pair{"c1", "no-data"}, {"x1", "mis-wired"}}) {
    Subnet subnet = one_leaf({});
    subnet.topology.nodes.resize(1);
    subnet.join(subnet.add(IbNodeType::switch_node, name, 0xdd00, 36), 1, 0, 1);
    CHECK(states(judge_wire(spec, subnet.seen())) == state);
  }
}

TEST_CASE("hosts that differ by their domain alone are two", "[verify][wire]") {
  FabricSpec spec = one_host({"mlx5_0"});
  for (const char* name : {"n1.a.org", "n1.b.org"}) {
    NodeSpec node = bare_node(named(name));
    node.adapters = spec.nodes.at(named("c1")).adapters;
    spec.nodes.emplace(node.name, node);
  }
  NetworkSpec& network = spec.networks.at("compute");
  network.cables.clear();
  network.cables.push_back(
      {{{named("n1.a.org"), "mlx5_0", "1"}, {}}, {leaf_port(1, 1), {}}, {}, {}, {}, {}, {}});
  CHECK(states(judge_wire(spec, one_leaf({"n1.a.org mlx5_0"}).seen())) == "ok");
  CHECK(states(judge_wire(spec, one_leaf({"n1.b.org mlx5_0"}).seen())) == "mis-wired");
}

// leaf1 is a Quantum-2, c1 at its port 3 and c2 at its port 4, written as `first` and `second`.
Report judged_on_quantum2(const std::string& first, const std::string& second, int ports = 65) {
  FabricSpec spec = leaf_pair();
  NetworkSpec& network = spec.networks.at("compute");
  network.cables.erase(network.cables.begin() + 2, network.cables.end());
  network.cables[0].b.value.port = first;
  network.cables[1].b.value.port = second;
  Subnet subnet = Subnet::healthy();
  subnet.topology.nodes[0].name = "MF0;leaf1:MQM9700/U1";
  subnet.topology.nodes[0].port_count = ports;
  subnet.pull(0, 35);
  subnet.pull(0, 36);
  subnet.pull(1, 1);
  subnet.pull(1, 2);
  subnet.join(2, 1, 0, 3);
  subnet.join(3, 1, 0, 4);
  return judge_wire(spec, subnet.seen());
}

TEST_CASE("ports of a Quantum-2 go by cage and half", "[verify][wire]") {
  CHECK(states(judged_on_quantum2("1/2/1", "1/2/2")) == "ok ok");
  CHECK(states(judged_on_quantum2("sw2p1", "sw2p2")) == "ok ok");
  CHECK(states(judged_on_quantum2("3", "4")) == "ok ok");
  const Report swapped = judged_on_quantum2("1/2/2", "1/2/1");
  CHECK(states(swapped) == "mis-wired mis-wired");
  CHECK(
      swapped.cables[0].detail ==
      "c1/hca/1 is cabled to leaf1/1/2/1; leaf1/1/2/2 is cabled to c2/hca/1");
}

TEST_CASE("a port whose number is not known is no data, and no surprise", "[verify][wire]") {
  for (const Report& report :
       {judged_on_quantum2("1/2/1/1", "1/2/2/1", 129),
        judged_on_quantum2("1/2/1", "1/2/2", 129),
        judged_on_quantum2("1/3", "1/4")}) {
    CHECK(states(report) == "no-data no-data");
    CHECK(report.unexpected.empty());
    REQUIRE(report.findings.size() == 1);
    CHECK(report.findings[0].rule == "cable-unproven");
    CHECK(report.findings[0].help.find("by its number in the subnet") != std::string::npos);
  }
}

TEST_CASE("a link between ports whose numbers are not known is no surprise", "[verify][wire]") {
  FabricSpec spec = leaf_pair();
  for (CableSpec& cable : spec.networks.at("compute").cables) {
    if (!cable.a.value.adapter.empty()) continue;
    cable.a.value.port = "1/" + cable.a.value.port + "/1";
    cable.b.value.port = "1/" + cable.b.value.port + "/1";
  }
  const Report report = judge_wire(spec, Subnet::healthy().seen());
  CHECK(states(report) == "ok ok ok ok no-data no-data");
  CHECK(report.unexpected.empty());
}

TEST_CASE("the wrong switch is wrong whatever its ports are called", "[verify][wire]") {
  FabricSpec spec = leaf_pair();
  std::vector<CableSpec>& cables = spec.networks.at("compute").cables;
  cables.erase(cables.begin() + 1, cables.end());
  cables[0].b.value.port = "1/7/2";
  Subnet subnet = Subnet::healthy();
  subnet.join(2, 1, 1, 20);
  CHECK(states(judge_wire(spec, subnet.seen())) == "mis-wired");
}

TEST_CASE("a director is one switch, and what is inside of it is no surprise", "[verify][wire]") {
  FabricSpec spec = leaf_pair();
  NetworkSpec& network = spec.networks.at("compute");
  network.cables.erase(network.cables.begin() + 2, network.cables.end());
  network.cables[0].b.value.port = "L2/U1/1";
  network.cables[1].b.value.port = "L2/U2/2";
  Subnet subnet;
  subnet.topology.nodes[0].name = "MF0;leaf1:MCS8500/L02/U1";
  subnet.topology.nodes[1].name = "MF0;leaf1:MCS8500/L02/U2";
  const std::size_t spine =
      subnet.add(IbNodeType::switch_node, "MF0;leaf1:MCS8500/S01/U1", 0xaa03, 40);
  subnet.join(0, 21, spine, 1);
  subnet.join(1, 21, spine, 2);
  subnet.join(2, 1, 0, 1);
  subnet.join(3, 1, 1, 2);
  const Report right = judge_wire(spec, subnet.seen());
  CHECK(states(right) == "ok ok");
  CHECK(right.unexpected.empty());
  subnet.join(2, 1, 1, 1);
  const Report wrong = judge_wire(spec, subnet.seen());
  CHECK(states(wrong) == "mis-wired ok");
  CHECK(wrong.cables[0].detail == "c1/hca/1 is cabled to leaf1/L2/U2/1");
}

TEST_CASE("a chip of a director is a switch of its own by its GUID", "[verify][wire]") {
  FabricSpec spec = leaf_pair();
  spec.nodes.at(named("leaf1")).node_guid.value = "0xaa01";
  spec.nodes.at(named("leaf2")).node_guid.value = "0xaa02";
  Subnet subnet = Subnet::healthy();
  subnet.topology.nodes[0].name = "MF0;dir:MCS8500/L02/U1";
  subnet.topology.nodes[1].name = "MF0;dir:MCS8500/L02/U2";
  CHECK(states(judge_wire(spec, subnet.seen())) == "ok ok ok ok ok ok");
}

TEST_CASE("aggregation nodes are no surprises, by their text or their device", "[verify][wire]") {
  for (const std::string text :
       {"Mellanox Technologies Aggregation Node", "leaf1 aggregation node", ""}) {
    CAPTURE(text);
    Subnet subnet = Subnet::healthy();
    const std::size_t inside = subnet.add(IbNodeType::channel_adapter, text, 0xee01, 1);
    if (text.empty()) subnet.topology.nodes[inside].device_id = 0xcf09;
    subnet.join(inside, 1, 0, 33);
    const Report report = judge_wire(leaf_pair(), subnet.seen());
    CHECK(states(report) == "ok ok ok ok ok ok");
    CHECK(report.unexpected.empty());
  }
}

TEST_CASE("routers are no surprises, whatever they are called", "[verify][wire]") {
  for (const std::string text : {"MF0;rt1:SB7780/U1", "c1 mlx5_7"}) {
    CAPTURE(text);
    Subnet subnet = Subnet::healthy();
    const std::size_t router = subnet.add(IbNodeType::router, text, 0xee02, 1);
    subnet.join(router, 1, 0, 34);
    const Report report = judge_wire(leaf_pair(), subnet.seen());
    CHECK(states(report) == "ok ok ok ok ok ok");
    CHECK(report.unexpected.empty());
  }
}

TEST_CASE(
    "where a carrier is proof, a link is enough, but a wrong one is wrong", "[verify][wire]") {
  const std::string factory = "MT4123 ConnectX6   Mellanox Technologies";
  FabricSpec spec = one_host({"mlx5_0", "mlx5_1", "mlx5_2"});
  const Subnet subnet = one_leaf({"c1 mlx5_0", factory, factory});
  NetworkSpec& network = spec.networks.at("compute");
  SECTION("of a cable") {
    network.cables[1].proof = "carrier";
    CHECK(states(judge_wire(spec, subnet.seen())) == "ok ok no-data");
  }
  SECTION("of a switch") {
    spec.nodes.at(named("leaf1")).proof.value = "carrier";
    CHECK(states(judge_wire(spec, subnet.seen())) == "ok ok ok");
    CHECK(
        states(judge_wire(spec, one_leaf({"c1 mlx5_1", "c1 mlx5_0", factory}).seen())) ==
        "mis-wired mis-wired ok");
  }
}

}  // namespace
}  // namespace fabric::verify::test
