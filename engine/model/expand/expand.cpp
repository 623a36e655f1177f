// SPDX-License-Identifier: Apache-2.0
#include "engine/model/expand/expand.hpp"

#include <algorithm>
#include <cstddef>
#include <iterator>

#include "engine/base/parallel.hpp"
#include "engine/model/expand/parts.hpp"

namespace fabric {

namespace {

void sort_by_address(std::vector<Resource>& resources) {
  std::ranges::sort(
      resources, [](const Resource& a, const Resource& b) { return a.address < b.address; });
}

std::vector<Resource> resources_of(const expansion::Scope& scope, const NodeSpec& spec) {
  std::vector<Resource> resources;
  expansion::NodeResources node{scope, spec, resources};
  expansion::expand_software(node);
  if (is_switch(spec.platform.value)) {
    expansion::expand_switch(node);
    expansion::expand_switch_qos(node);
    expansion::expand_hooks(node);
    return resources;
  }
  expansion::expand_adapters(node);
  if (node.traits().service_console) {
    expansion::expand_hooks(node);
    return resources;
  }
  expansion::expand_ports(node);
  expansion::expand_bonds(node);
  expansion::expand_ipoib(node);
  expansion::expand_vlans(node);
  expansion::expand_qos(node);
  expansion::expand_managers(node);
  expansion::expand_sysctls(node);
  expansion::expand_transit(node);
  expansion::expand_hooks(node);
  return resources;
}

}  // namespace

std::vector<Resource> expand(const FabricSpec& spec, Diagnostics& diagnostics) {
  expansion::tell_of_virtual_switches(spec, diagnostics);
  const expansion::Scope scope{spec};
  std::vector<const NodeSpec*> nodes;
  for (const auto& [name, node] : spec.nodes) {
    if (is_host_of_ours(spec, node) && !is_offline(node)) nodes.push_back(&node);
  }
  std::vector<std::vector<Resource>> made(nodes.size());
  for_each_index(nodes.size(), [&](std::size_t index) {
    made[index] = resources_of(scope, *nodes[index]);
    sort_by_address(made[index]);
  });
  std::vector<Resource> resources;
  for (std::vector<Resource>& each : made)
    std::move(each.begin(), each.end(), std::back_inserter(resources));
  expansion::wait_for_switches(scope, resources);
  for (std::vector<Resource> more :
       {expansion::expand_links(scope, resources), expansion::expand_carriers(scope, resources)}) {
    std::move(more.begin(), more.end(), std::back_inserter(resources));
  }
  sort_by_address(resources);
  for (Resource& resource : resources)
    resource.platform = spec.nodes.at(resource.address.node).platform.value;
  return resources;
}

}  // namespace fabric
