// SPDX-License-Identifier: Apache-2.0
// Two switches joined by two cables, two hosts at each: the document and how the subnet looks.
#pragma once

#include <algorithm>
#include <string>

#include "engine/model/spec.hpp"
#include "engine/verify/verify.hpp"

#include "tests/unit/verify/ring.hpp"

namespace fabric::verify::test {

inline NodeName named(const std::string& name) {
  return *NodeName::parse(name);
}

inline PortRef leaf_port(int leaf, int number) {
  return {named("leaf" + std::to_string(leaf)), "", std::to_string(number)};
}

inline PortRef host_port(int host) {
  return {named("c" + std::to_string(host)), "hca", "1"};
}

// c1, c2 at ports 1, 2 of leaf1; c3, c4 at leaf2; ports 35 and 36 of both are joined.
inline FabricSpec leaf_pair(const std::string& speed = "") {
  FabricSpec spec;
  spec.reached = {Platform::linux};
  NetworkSpec network;
  network.name = "compute";
  network.mode.value = Mode::infiniband;
  const auto add_cable = [&](const PortRef& a, const PortRef& b) {
    network.cables.push_back({{a, {}}, {b, {}}, {}, {}, {}, {}, speed});
  };
  for (int leaf : {1, 2}) {
    NodeSpec added = bare_node(named("leaf" + std::to_string(leaf)));
    added.platform.value = Platform::unmanaged;
    spec.nodes.emplace(added.name, added);
  }
  for (int host = 1; host <= 4; ++host) {
    NodeSpec added = bare_node(named("c" + std::to_string(host)));
    added.platform.value = Platform::linux;
    AdapterSpec adapter;
    adapter.name = "hca";
    adapter.ports.value = 1;
    added.adapters.edit().push_back(adapter);
    spec.nodes.emplace(added.name, added);
    add_cable(host_port(host), leaf_port((host + 1) / 2, (host + 1) % 2 + 1));
  }
  for (int number : {35, 36})
    add_cable(leaf_port(1, number), leaf_port(2, number));
  spec.networks.emplace(network.name, network);
  return spec;
}

// A subnet that cables are put into and taken out of, as a sweep would find it.
class Subnet {
 public:
  Subnet() {
    add(IbNodeType::switch_node, "MF0;leaf1:MQM8700/U1", 0xaa01, 36);
    add(IbNodeType::switch_node, "leaf2", 0xaa02, 36);
    for (int host = 1; host <= 4; ++host)
      add(IbNodeType::channel_adapter,
          "c" + std::to_string(host) + ".example.org HCA-1",
          guid_of(host),
          1);
  }

  static Subnet healthy() {
    Subnet subnet;
    for (int host = 1; host <= 4; ++host)
      subnet.join(1 + static_cast<std::size_t>(host), 1, host <= 2 ? 0 : 1, (host + 1) % 2 + 1);
    subnet.join(0, 35, 1, 35);
    subnet.join(0, 36, 1, 36);
    return subnet;
  }

  static std::uint64_t guid_of(int host) {
    return 0xbb00 + static_cast<std::uint64_t>(host) * 0x10;
  }

  std::size_t add(IbNodeType type, const std::string& name, std::uint64_t guid, int ports) {
    IbNode node;
    node.type = type;
    node.name = name;
    node.guid = Guid{guid};
    node.port_count = ports;
    topology.nodes.push_back(node);
    return topology.nodes.size() - 1;
  }

  // Nodes by index: 0 and 1 are the leaves, 2 to 5 the hosts.
  void join(
      std::size_t a,
      int a_port,
      std::size_t b,
      int b_port,
      IbSpeed speed = IbSpeed::hdr,
      int lanes = 4) {
    pull(a, a_port);
    pull(b, b_port);
    put(a, a_port, b, b_port, speed, lanes);
    put(b, b_port, a, a_port, speed, lanes);
  }

  IbPort& put(
      std::size_t a,
      int a_port,
      std::size_t b,
      int b_port,
      IbSpeed speed = IbSpeed::hdr,
      int lanes = 4) {
    IbPort port;
    port.number = a_port;
    port.lanes = lanes;
    port.speed = speed;
    if (topology.nodes[a].type == IbNodeType::channel_adapter)
      port.guid = Guid{topology.nodes[a].guid->bits() + static_cast<std::uint64_t>(a_port)};
    IbPeer& peer = port.peer.emplace();
    peer.type = topology.nodes[b].type;
    peer.node_guid = topology.nodes[b].guid;
    peer.port = b_port;
    peer.name = topology.nodes[b].name;
    topology.nodes[a].ports.push_back(port);
    return topology.nodes[a].ports.back();
  }

  // The cable, from both ends.
  void pull(std::size_t node, int number) {
    const IbPort* port = find(node, number);
    if (port == nullptr) return;
    const std::optional<IbPeer> peer = port->peer;
    remove(node, number);
    for (std::size_t other = 0; other < topology.nodes.size(); ++other) {
      if (topology.nodes[other].guid == peer->node_guid)
        remove(other, static_cast<int>(peer->port));
    }
  }

  void remove(std::size_t node, int number) {
    std::erase_if(
        topology.nodes[node].ports, [&](const IbPort& port) { return port.number == number; });
  }

  const IbPort* find(std::size_t node, int number) const {
    for (const IbPort& port : topology.nodes[node].ports) {
      if (port.number == number) return &port;
    }
    return nullptr;
  }

  // A sweep reaches what has a link.
  WireEvidence seen() const {
    ObservedTopology reached = topology;
    std::erase_if(reached.nodes, [](const IbNode& node) { return node.ports.empty(); });
    return {{{"c1 (mlx5_0/1)", std::move(reached), {}, {}}}, {}};
  }

  ObservedTopology topology;
};

}  // namespace fabric::verify::test
