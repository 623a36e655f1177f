// SPDX-License-Identifier: Apache-2.0
#include "engine/model/expand/expand.hpp"

#include <algorithm>
#include <iterator>

#include "engine/model/expand/parts.hpp"
#include "engine/model/expand/refused.hpp"

namespace fabric {

namespace {

void sort_by_address(std::vector<Resource>& resources) {
  std::sort(resources.begin(), resources.end(), [](const Resource& a, const Resource& b) {
    return a.address < b.address;
  });
}

}  // namespace

std::vector<Resource> expand(const FabricSpec& spec, Diagnostics& diagnostics) {
  refuse_unsupported(spec, diagnostics);
  expansion::tell_of_virtual_switches(spec, diagnostics);
  const expansion::Scope scope{spec};
  std::vector<Resource> resources;
  for (const auto& [name, node_spec] : spec.nodes) {
    if (!is_host_of_ours(spec, node_spec) || is_offline(node_spec)) continue;
    expansion::NodeResources node{scope, node_spec, resources};
    expansion::expand_software(node);
    if (is_switch(node_spec.platform.value)) {
      expansion::expand_switch(node);
      expansion::expand_switch_qos(node);
      expansion::expand_hooks(node);
      continue;
    }
    expansion::expand_adapters(node);
    if (node_spec.platform.value == Platform::esx_classic) {
      expansion::expand_hooks(node);
      continue;
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
  }
  sort_by_address(resources);
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
