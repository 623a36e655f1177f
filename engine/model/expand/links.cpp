// SPDX-License-Identifier: Apache-2.0
// Cables between two hosts of the document.
#include <algorithm>

#include <fmt/format.h>

#include "engine/model/expand/bond_ends.hpp"
#include "engine/model/expand/parts.hpp"
#include "engine/model/resource_keys.hpp"
#include "engine/model/switch_configuration.hpp"
#include "engine/value/lists.hpp"

namespace fabric::expansion {

namespace {

bool is_host_port(const FabricSpec& spec, const PortRef& port) {
  const auto node = spec.nodes.find(port.node);
  return !port.adapter.empty() && node != spec.nodes.end() && is_host_of_ours(spec, node->second) &&
         !is_offline(node->second);
}

Resource link_of(
    const FabricSpec& spec, const CableSpec& cable, const std::vector<Resource>& resources) {
  const auto& [first, second] = std::minmax(cable.a.value, cable.b.value);
  Resource link{
      {first.node,
       std::string{kinds::kLink},
       fmt::format("{}-{}.{}", port_name(first), second.node.str(), port_name(second))},
      {},
      {},
      {},
      cable.range};
  link.check_only = true;
  link.binding.emplace(keys::kPort, port_name(first));
  link.binding.emplace(keys::kPeer, second.node.str());
  link.binding.emplace(keys::kPeerPort, port_name(second));
  if (spec.nodes.at(first.node).state.value == NodeState::observe)
    link.binding.emplace(keys::kObserve, true);
  for (const auto& [attribute, text] :
       {std::pair{"label", &cable.label},
        std::pair{"length", &cable.length},
        std::pair{"type", &cable.type},
        std::pair{"speed", &cable.speed}}) {
    if (!text->empty()) want(link, attribute, *text, cable.range, "the document says so");
  }
  for (const PortRef* end : {&first, &second}) {
    for (const auto& [kind, name] :
         {std::pair{kinds::kSettings, end->adapter},
          std::pair{kinds::kInterface, port_name(*end)}}) {
      ResourceAddress before{end->node, std::string{kind}, name};
      if (has_resource(resources, before)) link.after.push_back(std::move(before));
    }
  }
  return link;
}

}  // namespace

bool has_resource(const std::vector<Resource>& resources, const ResourceAddress& address) {
  const auto found = std::lower_bound(
      resources.begin(), resources.end(), address, [](const Resource& each, const auto& wanted) {
        return each.address < wanted;
      });
  return found != resources.end() && found->address == address;
}

std::vector<Resource> expand_links(const Scope& scope, const std::vector<Resource>& resources) {
  const FabricSpec& spec = scope.spec();
  std::vector<Resource> links;
  for (const auto& [name, network] : spec.networks) {
    for (const CableSpec& cable : network.cables) {
      if (is_host_port(spec, cable.a.value) && is_host_port(spec, cable.b.value))
        links.push_back(link_of(spec, cable, resources));
    }
  }
  return links;
}

// Switches that save their running configuration only on a command.

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

// The drain of a node: the desired state is "not drained", except while a run disrupts it. A
// platform with a maintenance mode is in it during that time, with hooks or without.

void expand_hooks(NodeResources& node) {
  const HooksSpec& hooks = hooks_of(node.scope().spec(), node.node());
  const Sourced<Platform>& platform = node.node().platform;
  const bool has_maintenance = traits(platform.value).maintenance_mode;
  if (hooks.empty() && !has_maintenance) return;
  const auto& before = hooks.before_disruption;
  const auto& after = hooks.after_disruption;
  const SourceRange origin = hooks.empty()         ? platform.range
                             : after.value.empty() ? before.range
                                                   : after.range;
  Resource resource = node.start(kinds::kDrain, has_maintenance ? "maintenance" : "hooks", origin);
  if (!before.value.empty()) resource.binding.emplace(keys::kBefore, to_list(before.value));
  if (!after.value.empty()) resource.binding.emplace(keys::kAfter, to_list(after.value));
  resource.binding.emplace(keys::kTimeoutMs, std::int64_t{hooks.timeout.value.count()});
  want(resource, "drained", false, origin, "no node stays drained once its disruption is over");
  node.put(std::move(resource));
}

}  // namespace fabric::expansion
