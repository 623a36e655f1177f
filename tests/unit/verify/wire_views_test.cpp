// SPDX-License-Identifier: Apache-2.0
// One subnet gives one verdict, whichever tool looked at it and at which level.
#include <map>

#include "tests/support/catch.hpp"
#include "tests/unit/verify/one_host.hpp"

namespace fabric::verify::test {
namespace {

// As a text shows it that has the GUIDs of ports alone (`iblinkinfo -l`).
WireEvidence by_port_guids(const Subnet& subnet) {
  WireEvidence seen = subnet.seen();
  const auto is_adapter = [](IbNodeType type) {
    return type == IbNodeType::channel_adapter;
  };
  std::map<Guid, Guid> ports;  // of an adapter: its only port's
  for (const IbNode& node : subnet.topology.nodes) {
    if (is_adapter(node.type) && !node.ports.empty())
      ports.emplace(*node.guid, *node.ports.front().guid);
  }
  for (IbNode& node : seen.views.front().topology->nodes) {
    if (is_adapter(node.type)) node.guid.reset();
    for (IbPort& port : node.ports) {
      if (!port.peer || !is_adapter(port.peer->type)) continue;
      port.peer->port_guid = ports.at(*port.peer->node_guid);
      port.peer->node_guid.reset();
    }
  }
  return seen;
}

TEST_CASE("a view of port GUIDs is joined by the rule of the card's family", "[verify][wire]") {
  FabricSpec spec = one_host({"mlx5_0", "mlx5_1"});
  std::vector<AdapterSpec>& adapters = spec.nodes.at(named("c1")).adapters.edit();
  const std::string factory = "MT4099 ConnectX3   Mellanox Technologies";
  for (const auto& [model, offset] : {std::pair{"connectx-3-vpi", 0}, {"connectx-5-vpi", 1}}) {
    CAPTURE(model);
    // The ports of these adapters have the GUID of the node and one more: mlx4 counts so.
    for (std::size_t i : {0U, 1U}) {
      adapters[i].hardware = find_hardware(model);
      adapters[i].selector.node_guid.value =
          Guid{0xcc10 + i * 0x10 + static_cast<std::uint64_t>(offset)}.str();
    }
    CHECK(states(judge_wire(spec, by_port_guids(one_leaf({factory, factory})))) == "ok ok");
    std::swap(adapters[0].selector.node_guid.value, adapters[1].selector.node_guid.value);
    CHECK(
        states(judge_wire(spec, by_port_guids(one_leaf({factory, factory})))) ==
        "mis-wired mis-wired");
  }
}

TEST_CASE("two views of one subnet are one, in whichever order they come", "[verify][wire]") {
  const FabricSpec spec = one_host({"mlx5_0", "mlx5_1", "mlx5_2"});
  for (const auto& [descriptions, verdict] :
       {std::pair{std::vector<std::string>{"c1 mlx5_0", "c1 mlx5_1", "c1 mlx5_2"}, "ok ok ok"},
        {{"c1 mlx5_0", "c1 mlx5_2", "c1 mlx5_1"}, "ok mis-wired mis-wired"}}) {
    const Subnet subnet = one_leaf(descriptions);
    const WireEvidence by_node = subnet.seen();
    const WireEvidence by_port = by_port_guids(subnet);
    for (const auto& [first, second] : {std::pair{&by_node, &by_port}, {&by_port, &by_node}}) {
      WireEvidence both = *first;
      both.views.push_back(second->views.front());
      const Report report = judge_wire(spec, both);
      CHECK(states(report) == verdict);
      CHECK(report.unexpected.empty());
    }
    CHECK(states(judge_wire(spec, by_port)) == verdict);
  }
}

TEST_CASE("the GUID of a card's second port is not taken for the card", "[verify][wire]") {
  FabricSpec spec = one_host({"hca"});
  AdapterSpec& adapter = spec.nodes.at(named("c1")).adapters.edit().front();
  adapter.ports.value = 2;
  const std::string factory = "MT4119 ConnectX5   Mellanox Technologies";
  for (const auto& descriptions :
       {std::vector<std::string>{"c1 mlx5_0", "c1 mlx5_1"}, {factory, factory}}) {
    CAPTURE(descriptions);
    Subnet subnet = one_leaf(descriptions);
    // Two functions of one card, whose GUIDs differ by one.
    const Guid first = *subnet.topology.nodes[1].guid;
    subnet.topology.nodes[2].guid = Guid{first.bits() + 1};
    for (IbPort& port : subnet.topology.nodes[0].ports) {
      if (port.number == 2) port.peer->node_guid = subnet.topology.nodes[2].guid;
    }
    for (const std::size_t node : {1U, 2U})
      subnet.topology.nodes[node].system_image = first;
    adapter.selector.node_guid.value = first.str();
    CHECK(states(judge_wire(spec, subnet.seen())) == "ok");
    adapter.selector.node_guid.value = Guid{first.bits() + 1}.str();
    const Report report = judge_wire(spec, subnet.seen());
    CHECK(states(report) == "no-data");
    CHECK(report.cables[0].detail.find("is the second port of its card") != std::string::npos);
  }
}

// The second adapter has the GUID of the first: tools take both for one, and show it at both ports.
Subnet with_clone(bool all_ones) {
  Subnet subnet = one_leaf({"c1 mlx5_0", "c1 mlx5_1", "c1 mlx5_2"});
  IbNode& leaf = subnet.topology.nodes[0];
  const Guid guid = all_ones ? Guid{~0ULL} : *subnet.topology.nodes[1].guid;
  for (const std::size_t node : {1U, 2U}) {
    subnet.topology.nodes[node].guid = guid;
    subnet.topology.nodes[node].ports.front().guid = subnet.topology.nodes[1].ports.front().guid;
  }
  for (IbPort& port : leaf.ports) {
    if (port.peer && (port.number == 1 || port.number == 2)) port.peer->node_guid = guid;
  }
  return subnet;
}

TEST_CASE(
    "two adapters with one GUID are an error, and no cable of theirs is judged", "[verify][wire]") {
  const FabricSpec spec = one_host({"mlx5_0", "mlx5_1", "mlx5_2"});
  for (const bool all_ones : {false, true}) {
    const Subnet subnet = with_clone(all_ones);
    for (const WireEvidence& seen : {subnet.seen(), by_port_guids(subnet)}) {
      const Report report = judge_wire(spec, seen);
      CHECK(states(report) == "no-data no-data ok");
      CHECK(report.unexpected.empty());
      std::size_t duplicates = 0;
      for (const Diagnostic& finding : report.findings)
        duplicates += finding.rule == "identity-duplicate" ? 1 : 0;
      CHECK(duplicates == (all_ones && seen.views.front().topology->nodes[1].guid ? 2 : 1));
    }
  }
  // The adapter itself is not described, as where a tool did not go on to it.
  Subnet subnet = with_clone(false);
  subnet.topology.nodes.resize(1);
  const Report report = judge_wire(spec, subnet.seen());
  CHECK(states(report).find("mis-wired") == std::string::npos);
  CHECK_FALSE(report.ok());
}

TEST_CASE("a verify of InfiniBand says what it did not look at", "[verify][wire]") {
  FabricSpec spec = leaf_pair();
  CHECK(judge_wire(spec, Subnet::healthy().seen()).findings.empty());
  NetworkSpec ethernet = spec.networks.at("compute");
  ethernet.name = "storage";
  ethernet.mode.value = Mode::ethernet;
  spec.networks.emplace(ethernet.name, ethernet);
  const Report mixed = judge_wire(spec, Subnet::healthy().seen());
  REQUIRE(mixed.findings.size() == 1);
  CHECK(mixed.findings[0].rule == "cable-unproven");
  CHECK(is_incomplete(mixed.findings[0]));
  spec.networks.erase("compute");
  const Report none = judge_wire(spec, {});
  REQUIRE(none.findings.size() == 1);
  CHECK(none.findings[0].help == "verify with `--level link`, which asks the nodes at both ends");
}

}  // namespace
}  // namespace fabric::verify::test
