// SPDX-License-Identifier: Apache-2.0
#include "engine/model/expand/expand.hpp"
#include "engine/model/topology/shared_bonds.hpp"

namespace fabric {

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
