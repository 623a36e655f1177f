// SPDX-License-Identifier: Apache-2.0
// Results that expansion computes once for the document: the members of each network, the managers
// of each subnet.
#include <algorithm>
#include <tuple>

#include "engine/model/expand/parts.hpp"

namespace fabric::expansion {

namespace {

// A manager whose host is unknown has been reported by a rule.
void collect_managers(
    const FabricSpec& spec, const NetworkSpec& network, InfinibandNetwork& infiniband) {
  if (network.subnet_manager && network.subnet_manager->external.value) return;
  for (const SubnetManagerPlacement& placement : network.subnet_managers) {
    const NodeSpec* node = spec.find_node(placement.node.value);
    if (node == nullptr || !is_host_of_ours(spec, *node)) continue;
    // A manager on a switch is the switch's own (expand_switch).
    if (is_switch(node->platform.value)) continue;
    const auto port = std::ranges::find_if(infiniband.members, [&](const PortRef& member) {
      return member.node == node->name && port_fits(member, placement.port.value);
    });
    if (port == infiniband.members.end()) continue;
    infiniband.managers.push_back({&placement, *port, infiniband.subnets.of_port.at(*port)});
  }
}

}  // namespace

Scope::Scope(const FabricSpec& spec) : spec_{&spec}, domains_{broadcast_domains(spec)} {
  for (const auto& [name, network] : spec.networks) {
    for (const CableSpec& cable : network.cables) {
      members_.emplace(cable.a.value, Member{&network, cable.a.range});
      members_.emplace(cable.b.value, Member{&network, cable.b.range});
      if (network.ipv4.cable_prefix != 0) collect_router(network, cable);
    }
    for (const Sourced<PortRef>& port : network.ports)
      members_.emplace(port.value, Member{&network, port.range});
    if (has_transit(network)) transit_.emplace(name, TransitGraph{network});
    if (network.mode.value != Mode::infiniband) continue;
    InfinibandNetwork infiniband{infiniband_subnets(network), network.member_ports(), {}};
    collect_managers(spec, network, infiniband);
    collect_partitions(spec, network, infiniband);
    infiniband_.emplace(name, std::move(infiniband));
  }
  for (const auto& [name, node] : spec.nodes) {
    if (!node.node_guid.value.empty()) switch_guids_.emplace(name.str(), node.node_guid.value);
  }
  rank_managers();
}

void Scope::collect_router(const NetworkSpec& network, const CableSpec& cable) {
  const bool a_is_switch = cable.a.value.adapter.empty();
  if (a_is_switch == cable.b.value.adapter.empty()) return;
  const auto& [router, host] =
      a_is_switch ? std::tie(cable.a, cable.b) : std::tie(cable.b, cable.a);
  const auto address = network.ipv4.addresses.find(router.value);
  if (address != network.ipv4.addresses.end())
    routers_.emplace(host.value, &address->second.front().value);
}

const IpAddress* Scope::router(const PortRef& port) const {
  const auto found = routers_.find(port);
  return found == routers_.end() ? nullptr : found->second;
}

const Member* Scope::member(const PortRef& port) const {
  const auto found = members_.find(port);
  return found == members_.end() ? nullptr : &found->second;
}

const NodeName* Scope::domain(const PortRef& port) const {
  const auto found = domains_.find(port);
  return found == domains_.end() ? nullptr : &found->second;
}

std::map<std::string, std::vector<PortRef>> Scope::networks_of(const NodeName& node) const {
  std::map<std::string, std::vector<PortRef>> networks;
  for (auto port = members_.lower_bound(PortRef{node, "", ""});
       port != members_.end() && port->first.node == node;
       ++port) {
    networks[port->second.network->name].push_back(port->first);
  }
  return networks;
}

const NetworkSpec& Scope::network(const std::string& name) const {
  return spec_->networks.at(name);
}

const InfinibandNetwork& Scope::infiniband(const std::string& network) const {
  return infiniband_.at(network);
}

const TransitGraph& Scope::transit(const std::string& network) const {
  return transit_.at(network);
}

// Ranks nodes by their highest priority in any network, then by name, the lowest first: the later
// standby starts before the master, so that a change never leaves the subnet without both. One
// order for all networks, because nodes that waited for each other could not be rolled out at all.
void Scope::rank_managers() {
  std::map<NodeName, std::int64_t> priority;
  for (const auto& [name, infiniband] : infiniband_) {
    for (const Manager& manager : infiniband.managers) {
      const std::int64_t own = manager.placement->priority.value;
      const auto [entry, is_new] = priority.emplace(manager.port.node, own);
      if (!is_new) entry->second = std::max(entry->second, own);
    }
  }
  std::vector<std::pair<std::int64_t, NodeName>> order;
  order.reserve(priority.size());
  for (const auto& [node, highest] : priority)
    order.emplace_back(highest, node);
  std::sort(order.begin(), order.end());
  for (std::size_t i = 0; i < order.size(); ++i)
    rank_.emplace(order[i].second, i);
}

std::vector<const Manager*> Scope::managers_before(
    const NetworkSpec& network, const PortRef& port) const {
  const InfinibandNetwork& infiniband = infiniband_.at(network.name);
  const std::size_t subnet = infiniband.subnets.of_port.at(port);
  const auto own_rank = rank_.find(port.node);
  std::vector<const Manager*> managers;
  for (const Manager& manager : infiniband.managers) {
    if (manager.subnet != subnet) continue;
    const bool is_later = own_rank != rank_.end() && rank_.at(manager.port.node) > own_rank->second;
    if (!is_later) managers.push_back(&manager);
  }
  return managers;
}

}  // namespace fabric::expansion
