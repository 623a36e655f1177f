// SPDX-License-Identifier: Apache-2.0
// One host with several adapters at one switch.
#pragma once

#include <string>
#include <vector>

#include "tests/unit/verify/leaf_pair.hpp"

namespace fabric::verify::test {

// c1 has an adapter for each name, at the ports of leaf1 from 1 on.
inline FabricSpec one_host(const std::vector<std::string>& adapters) {
  FabricSpec spec = leaf_pair();
  NetworkSpec& network = spec.networks.at("compute");
  network.cables.clear();
  NodeSpec& node = spec.nodes.at(named("c1"));
  node.adapters.edit().clear();
  int port = 1;
  for (const std::string& name : adapters) {
    AdapterSpec adapter;
    adapter.name = name;
    adapter.ports.value = 1;
    node.adapters.edit().push_back(adapter);
    network.cables.push_back(
        {{{named("c1"), name, "1"}, {}}, {leaf_port(1, port++), {}}, {}, {}, {}, {}, {}});
  }
  return spec;
}

// The adapters call themselves so, and are cabled to the ports of leaf1 from 1 on.
inline Subnet one_leaf(const std::vector<std::string>& descriptions) {
  Subnet subnet;
  subnet.topology.nodes.resize(1);
  int port = 1;
  for (const std::string& description : descriptions) {
    const std::size_t node = subnet.add(
        IbNodeType::channel_adapter,
        description,
        0xcc00 + static_cast<std::uint64_t>(port) * 0x10,
        1);
    subnet.join(node, 1, 0, port++);
  }
  return subnet;
}

inline std::string states(const Report& report) {
  std::string text;
  for (const CableReport& cable : report.cables)
    text += (text.empty() ? "" : " ") + std::string{to_string(cable.state)};
  return text;
}

}  // namespace fabric::verify::test
