// SPDX-License-Identifier: Apache-2.0
#include "engine/verify/cables/wire_names.hpp"

#include <fmt/format.h>

namespace fabric::verify {

WireNames::WireNames(const FabricSpec& spec, const WireEvidence& evidence, const WirePorts& ports)
    : ports_{ports}, switches_{spec, ports}, adapters_{spec, evidence, ports, switches_} {
  for (const auto& [name, network] : spec.networks) {
    if (network.mode.value != Mode::infiniband) continue;
    for (const PortRef& port : network.member_ports()) {
      const Place found = port.adapter.empty() ? switches_.place(port) : Place{};
      if (found.at) declared_.emplace(*found.at, port);
    }
  }
}

Place WireNames::place(const PortRef& port) const {
  return port.adapter.empty() ? switches_.place(port) : adapters_.place(port);
}

std::optional<PortRef> WireNames::port_at(const WirePlace& place) const {
  const auto declared = declared_.find(place);
  if (declared != declared_.end()) return declared->second;
  if (switches_.owner(place.node) != nullptr) return switches_.port_at(place);
  return adapters_.port_at(place);
}

bool WireNames::may_be(const WirePlace& place, const PortRef& port) const {
  if (!port.adapter.empty()) return adapters_.may_be(place, port);
  const NodeSpec* owner = switches_.owner(place.node);
  if (owner != nullptr) return owner->name == port.node && !declared_.contains(place);
  const IbNodeType type = ports_.nodes()[place.node].type;
  return !switches_.is_found(port.node) &&
         (type == IbNodeType::switch_node || type == IbNodeType::unknown);
}

bool WireNames::needs_no_cable(const WirePlace& a, const WirePlace& b) const {
  const WireNode& one = ports_.nodes()[a.node];
  const WireNode& other = ports_.nodes()[b.node];
  if (is_aggregation_node(one) || is_aggregation_node(other)) return true;
  if (one.type == IbNodeType::router || other.type == IbNodeType::router) return true;
  if (one.system_image && one.system_image == other.system_image && one.type != other.type)
    return true;
  return switches_.in_one_chassis(a.node, b.node);
}

std::string WireNames::text(const WirePlace& place) const {
  if (const std::optional<PortRef> port = port_at(place)) return port->str();
  const WireNode& node = ports_.nodes()[place.node];
  std::string what = "an unknown device";
  if (const NodeSpec* host = adapters_.host_of(place.node)) {
    what = "an adapter of " + host->name.str();
  } else if (is_aggregation_node(node)) {
    what = "an aggregation node";
  } else if (node.type == IbNodeType::router) {
    what = "a router";
  }
  return fmt::format("{}, '{}' ({}) port {}", what, node.name, node.guid.str(), place.port);
}

}  // namespace fabric::verify
