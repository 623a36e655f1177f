// SPDX-License-Identifier: Apache-2.0
#include "engine/model/cable_ports.hpp"

namespace fabric {

namespace {

bool carries_address(const FabricSpec& spec, const PortRef& port) {
  const auto node = spec.nodes.find(port.node);
  return !port.adapter.empty() ||
         (node != spec.nodes.end() && traits(node->second.platform.value).routes_ports);
}

}  // namespace

bool has_cable_subnet(const FabricSpec& spec, const CableSpec& cable) {
  const bool has_host = !cable.a.value.adapter.empty() || !cable.b.value.adapter.empty();
  return has_host && carries_address(spec, cable.a.value) && carries_address(spec, cable.b.value);
}

std::set<PortRef> cable_ports(const FabricSpec& spec, const std::vector<CableSpec>& cables) {
  std::set<PortRef> ports;
  for (const CableSpec& cable : cables) {
    if (has_cable_subnet(spec, cable)) ports.insert({cable.a.value, cable.b.value});
  }
  return ports;
}

}  // namespace fabric
