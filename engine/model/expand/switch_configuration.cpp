// SPDX-License-Identifier: Apache-2.0
// Switches that save their running configuration only on a command.
#include "engine/model/switch_configuration.hpp"

#include "engine/model/expand/bond_ends.hpp"
#include "engine/model/expand/parts.hpp"

namespace fabric::expansion {

// The document's settings on a switch that keeps nothing by itself: anything else there is foreign.
void expand_configuration(NodeResources& node) {
  const NodeSpec& spec = node.node();
  if (!node.traits().keeps_when_told) return;
  List ports, channels, vlans, partitions;
  for (const auto& [name, members] : node.networks()) {
    const NetworkSpec& network = node.scope().network(name);
    for (const PortRef& port : members)
      ports.emplace_back(port.port);
    if (network.access_vlan.value != 0) vlans.emplace_back(network.access_vlan.value);
    for (const VlanSpec& vlan : network.vlans)
      vlans.emplace_back(vlan.id.value);
    for (const PartitionSpec& partition : network.partitions)
      partitions.emplace_back(partition.name);
    if (network.mode.value != Mode::lag) continue;
    for (const auto& [host, end] : bond_ends(node.scope().spec(), network, spec))
      if (!end.at_peer.empty()) channels.emplace_back(mlag_id(spec, end));
  }
  if (spec.mlag) {
    for (Value& port : link_ports(spec))
      ports.push_back(std::move(port));
    vlans.emplace_back(link_vlan(*spec.mlag));
  }
  namespace keys = switch_configuration;
  Resource resource = node.start(keys::kKind, std::string{keys::kName}, spec.range);
  resource.binding.emplace(keys::kPorts, std::move(ports));
  resource.binding.emplace(keys::kChannels, std::move(channels));
  resource.binding.emplace(keys::kVlans, std::move(vlans));
  resource.binding.emplace(keys::kPartitions, std::move(partitions));
  node.put(std::move(resource));
}

}  // namespace fabric::expansion
