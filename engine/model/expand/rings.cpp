// SPDX-License-Identifier: Apache-2.0
#include "engine/model/expand/expand.hpp"
#include "engine/model/expand/parts.hpp"
#include "engine/model/topology/chain_graph.hpp"
#include "engine/model/topology/transit.hpp"

namespace fabric {

std::vector<Ring> rings(const FabricSpec& spec) {
  std::vector<Ring> result;
  for (const auto& [name, network] : spec.networks) {
    if (has_transit(network)) {
      for (const auto& [one, other] : TransitGraph{network}.splitting_pairs())
        result.push_back({name, {one, other}, false, true});
    }
    if (network.mode.value != Mode::chain) continue;
    const ChainGraph graph = chain_graph(network);
    for (const ChainPart& part : graph.parts) {
      Ring ring{name, {}, part.closed};
      for (const std::size_t station : part.stations) {
        const NodeName& node = graph.stations[station].node;
        // Two cards of one node may stand side by side.
        if (ring.nodes.empty() || ring.nodes.back() != node) ring.nodes.push_back(node);
      }
      result.push_back(std::move(ring));
    }
  }
  return result;
}

std::vector<ManagerGroup> manager_groups(const FabricSpec& spec) {
  const expansion::Scope scope{spec};
  std::vector<ManagerGroup> groups;
  for (const auto& [name, network] : spec.networks) {
    if (network.mode.value != Mode::infiniband) continue;
    std::map<std::size_t, std::set<NodeName>> nodes_of;
    for (const expansion::Manager& manager : scope.infiniband(name).managers)
      nodes_of[manager.subnet].insert(manager.port.node);
    for (auto& [subnet, nodes] : nodes_of) {
      if (nodes.size() > 1) groups.push_back({name, std::move(nodes)});
    }
  }
  return groups;
}

}  // namespace fabric
