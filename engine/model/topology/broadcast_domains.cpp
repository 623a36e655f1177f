// SPDX-License-Identifier: Apache-2.0
#include "engine/model/topology/broadcast_domains.hpp"

#include <cstddef>
#include <utility>
#include <vector>

#include "engine/graph/dag.hpp"
#include "engine/model/topology/shared_bonds.hpp"

namespace fabric {

namespace {

bool is_host_port(const PortRef& port) {
  return !port.adapter.empty();
}

}  // namespace

std::map<NodeName, NodeName> joined_switches(const FabricSpec& spec) {
  std::map<NodeName, std::size_t> numbers;
  std::vector<NodeName> names;
  for (const auto& [name, node] : spec.nodes) {
    if (!is_switch(node.platform.value)) continue;
    numbers.emplace(name, names.size());
    names.push_back(name);
  }
  graph::Dag joined{names.size()};
  const auto join = [&](const NodeName& a, const NodeName& b) {
    const auto from = numbers.find(a);
    const auto to = numbers.find(b);
    if (from == numbers.end() || to == numbers.end() || from == to) return;
    joined.add_edge(from->second, to->second);
  };
  for (const auto& [one, other] : paired_switches(spec))
    join(one, other);
  for (const auto& [name, network] : spec.networks) {
    if (network.mode.value == Mode::infiniband) continue;
    for (const CableSpec& cable : network.cables)
      join(cable.a.value.node, cable.b.value.node);
  }
  const std::vector<std::size_t> component = joined.components();
  std::map<std::size_t, NodeName> first;
  std::map<NodeName, NodeName> firsts;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const NodeName& of_component = first.emplace(component[i], names[i]).first->second;
    firsts.emplace(names[i], of_component);
  }
  return firsts;
}

std::map<PortRef, NodeName> broadcast_domains(const FabricSpec& spec) {
  const std::map<NodeName, NodeName> firsts = joined_switches(spec);
  std::map<PortRef, NodeName> domains;
  for (const auto& [name, network] : spec.networks) {
    // A port of the switch that routes passes no broadcast on.
    const bool is_routed = network.ipv4.cable_prefix != 0;
    if (network.mode.value == Mode::infiniband || is_routed) continue;
    for (const CableSpec& cable : network.cables) {
      for (const auto& [mine, other] :
           {std::pair{&cable.a.value, &cable.b.value}, std::pair{&cable.b.value, &cable.a.value}}) {
        const auto found = firsts.find(other->node);
        if (is_host_port(*mine) && found != firsts.end()) domains.emplace(*mine, found->second);
      }
    }
  }
  return domains;
}

}  // namespace fabric
