// SPDX-License-Identifier: Apache-2.0
#include "engine/model/expand/expand.hpp"
#include "engine/model/expand/parts.hpp"
#include "engine/model/topology/chain_graph.hpp"
#include "engine/model/topology/shared_bonds.hpp"
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

namespace {

bool is_switch_of_ours(const FabricSpec& spec, const NodeName& name) {
  const auto node = spec.nodes.find(name);
  return node != spec.nodes.end() && is_switch(node->second.platform.value) &&
         is_host_of_ours(spec, node->second);
}

}  // namespace

std::vector<SwitchTie> switch_ties(const FabricSpec& spec) {
  std::vector<SwitchTie> ties;
  for (const auto& [one, other] : paired_switches(spec))
    if (is_switch_of_ours(spec, one)) ties.push_back({one, other, ""});
  // The other ends of each host's cables, with a network that it is in.
  std::map<NodeName, std::map<NodeName, std::string>> ends;
  for (const auto& [name, network] : spec.networks) {
    for (const CableSpec& cable : network.cables) {
      for (const auto& [mine, other] :
           {std::pair{&cable.a.value, &cable.b.value}, std::pair{&cable.b.value, &cable.a.value}}) {
        if (!mine->adapter.empty()) ends[mine->node].emplace(other->node, name);
      }
    }
  }
  for (const auto& [host, others] : ends) {
    const auto& [other, network] = *others.begin();
    if (others.size() == 1 && is_switch_of_ours(spec, other))
      ties.push_back({other, host, network});
  }
  return ties;
}

}  // namespace fabric
