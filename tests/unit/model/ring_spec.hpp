// SPDX-License-Identifier: Apache-2.0
// A ring of ConnectX-5 hosts as a FabricSpec, built by hand, to be bent by tests.
#pragma once

#include <string>

#include "engine/model/spec.hpp"

namespace fabric::test {

// Places that tests can tell apart: the byte offset is all that matters.
inline SourceRange place(std::uint32_t offset) {
  return {FileId{1}, offset, offset + 1};
}

inline constexpr std::uint32_t kNodePlace = 100;     // + node number
inline constexpr std::uint32_t kAdapterPlace = 200;  // + node number
inline constexpr std::uint32_t kModelPlace = 300;    // + node number
inline constexpr std::uint32_t kNetworkPlace = 500;
inline constexpr std::uint32_t kModePlace = 510;
inline constexpr std::uint32_t kMtuPlace = 520;
inline constexpr std::uint32_t kSubnetPlace = 530;
inline constexpr std::uint32_t kCablePlace = 600;  // + 10 * cable; its ends at + 1 and + 2

inline NodeName name(const std::string& text) {
  return NodeName::parse(text).value();
}

inline AdapterSpec adapter(const std::string& model, std::uint32_t number) {
  AdapterSpec spec;
  spec.name = "cx5";
  spec.range = place(kAdapterPlace + number);
  spec.model = {model, place(kModelPlace + number)};
  spec.hardware = find_hardware(model);
  spec.ports = {2, {}};
  return spec;
}

inline NodeSpec host(std::uint32_t number, const std::string& model) {
  NodeSpec node{name("n" + std::to_string(number))};
  node.range = place(kNodePlace + number);
  node.address = {node.name.str(), {}};
  node.host_number = Sourced<std::uint32_t>{number, {}};
  node.adapters.edit().push_back(adapter(model, number));
  return node;
}

inline PortRef port(std::uint32_t node, std::uint32_t number) {
  return {name("n" + std::to_string(node)), "cx5", std::to_string(number)};
}

inline CableSpec cable(std::uint32_t index, const PortRef& a, const PortRef& b) {
  CableSpec spec{
      {a, place(kCablePlace + 10 * index + 1)},
      {b, place(kCablePlace + 10 * index + 2)},
      {},
      {},
      {},
      {},
      {}};
  spec.range = place(kCablePlace + 10 * index);
  return spec;
}

// Network "storage", nodes n1..nN, port 1 of each to port 2 of the next, MTU 9000, 10.30.0.0/24,
// two addresses a host in order.
inline FabricSpec ring(std::uint32_t nodes, const std::string& model = "connectx-5-vpi") {
  FabricSpec spec;
  spec.reached = {Platform::linux};
  spec.name = {"ring", {}};
  NetworkSpec network;
  network.name = "storage";
  network.range = place(kNetworkPlace);
  network.mode = {Mode::chain, place(kModePlace)};
  network.mtu = {9000, place(kMtuPlace)};
  network.ipv4.subnet = Sourced<Subnet>{Subnet::parse("10.30.0.0/24").value(), place(kSubnetPlace)};
  for (std::uint32_t i = 1; i <= nodes; ++i) {
    NodeSpec node = host(i, model);
    spec.nodes.emplace(node.name, node);
    network.cables.push_back(cable(i, port(i, 1), port(i % nodes + 1, 2)));
    for (std::uint32_t k = 1; k <= 2; ++k) {
      network.ipv4.addresses[port(i, k)].push_back(
          {network.ipv4.subnet->value.host((i - 1) * 2 + k).value(), place(kSubnetPlace)});
    }
  }
  spec.networks.emplace(network.name, network);
  return spec;
}

}  // namespace fabric::test
