// SPDX-License-Identifier: Apache-2.0
#include "engine/model/expand/bond_ends.hpp"

#include <algorithm>

#include "engine/model/expand/parts.hpp"
#include "engine/model/switch_port.hpp"

namespace fabric::expansion {

namespace {

bool is_host(const FabricSpec& spec, const NodeName& name) {
  const auto node = spec.nodes.find(name);
  return node != spec.nodes.end() && !is_switch(node->second.platform.value);
}

}  // namespace

const PortRef* other_end(const CableSpec& cable, const PortRef& port) {
  if (cable.a.value == port) return &cable.b.value;
  return cable.b.value == port ? &cable.a.value : nullptr;
}

std::map<NodeName, BondEnd> bond_ends(
    const FabricSpec& spec, const NetworkSpec& network, const NodeSpec& node) {
  const std::string peer = node.mlag ? node.mlag->peer.value : "";
  std::map<NodeName, BondEnd> ends;
  for (const CableSpec& cable : network.cables) {
    for (const PortRef* port : {&cable.a.value, &cable.b.value}) {
      const PortRef* host = other_end(cable, *port);
      if (!is_host(spec, host->node)) continue;
      if (port->node == node.name) ends[host->node].ports.push_back(*port);
      if (port->node.str() == peer) ends[host->node].at_peer.push_back(*port);
    }
  }
  std::erase_if(ends, [](const auto& each) { return each.second.ports.empty(); });
  for (auto& [host, end] : ends) {
    std::sort(end.ports.begin(), end.ports.end(), is_lower);
    std::sort(end.at_peer.begin(), end.at_peer.end(), is_lower);
  }
  if (!node.mlag || !node.mlag->by_evpn()) return ends;
  for (SharedBond& bond : shared_bonds(spec, network)) {
    const auto end = ends.find(bond.host);
    if (end != ends.end() && bond.ports.contains(node.name)) end->second.shared = std::move(bond);
  }
  return ends;
}

std::int64_t mlag_id(const NodeSpec& node, const BondEnd& end) {
  const bool own = node.name.str() < node.mlag->peer.value;
  return channel_number((own ? end.ports : end.at_peer).front().port);
}

List link_ports(const NodeSpec& node) {
  List ports;
  for (const Sourced<std::string>& each : node.mlag->ipl) {
    const auto port = SwitchPort::parse(each.value);
    ports.emplace_back(
        port ? as_called(*port, traits(node.platform.value).port_names, node.model.value).str()
             : each.value);
  }
  return ports;
}

}  // namespace fabric::expansion
