// SPDX-License-Identifier: Apache-2.0
#include "plans/interruption/hosts_behind.hpp"

#include <utility>

#include "engine/model/resource_keys.hpp"

namespace fabric::plans {

namespace {

bool is_a_switch(const FabricSpec& spec, const NodeName& node) {
  const auto found = spec.nodes.find(node);
  return found != spec.nodes.end() && is_switch(found->second.platform.value);
}

// For each switch, the hosts at the other ends of its cables.
std::map<NodeName, std::set<NodeName>> cabled_hosts(const FabricSpec& spec) {
  std::map<NodeName, std::set<NodeName>> hosts;
  for (const auto& [name, network] : spec.networks) {
    for (const CableSpec& cable : network.cables) {
      for (const auto& [mine, other] :
           {std::pair{&cable.a.value, &cable.b.value}, std::pair{&cable.b.value, &cable.a.value}}) {
        if (is_a_switch(spec, mine->node) && !is_a_switch(spec, other->node))
          hosts[mine->node].insert(other->node);
      }
    }
  }
  return hosts;
}

}  // namespace

std::map<NodeName, std::set<NodeName>> hosts_behind(
    const std::set<ResourceAddress>& disturbed,
    const std::vector<Resource>& resources,
    const std::set<NodeName>& reboots,
    const FabricSpec& spec,
    const Down& down) {
  const std::map<NodeName, std::set<NodeName>> cabled = cabled_hosts(spec);
  std::map<NodeName, std::set<NodeName>> behind;
  for (const auto& [node, hosts] : cabled)
    if (reboots.contains(node)) behind[node] = hosts;
  for (const ResourceAddress& address : disturbed) {
    const auto hosts = cabled.find(address.node);
    if (hosts != cabled.end() && address.kind == kinds::kSubnetManager)
      behind[address.node].insert(hosts->second.begin(), hosts->second.end());
  }
  for (const Resource& resource : resources) {
    const NodeName& host = resource.address.node;
    if (is_a_switch(spec, host)) continue;
    std::vector<ResourceAddress> carriers = resource.after;
    const auto outside = resource.binding.find(keys::kInterruptedBy);
    if (outside != resource.binding.end() && outside->second.as_list() != nullptr) {
      for (const Value& address : *outside->second.as_list())
        carriers.push_back(*ResourceAddress::parse(to_text(address)));
    }
    for (const ResourceAddress& before : carriers) {
      if (is_a_switch(spec, before.node) && disturbed.contains(before))
        behind[before.node].insert(host);
    }
  }
  for (auto& [node, hosts] : behind)
    std::erase_if(hosts, [&down](const NodeName& host) { return down.contains(host); });
  std::erase_if(behind, [](const auto& entry) { return entry.second.empty(); });
  return behind;
}

}  // namespace fabric::plans
