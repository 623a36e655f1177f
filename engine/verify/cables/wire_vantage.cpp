// SPDX-License-Identifier: Apache-2.0
#include "engine/verify/cables/wire_vantage.hpp"

#include <algorithm>

#include "engine/model/topology/infiniband_subnets.hpp"
#include "engine/subnet/node_description.hpp"
#include "engine/verify/cables/wire_adapters.hpp"
#include "engine/verify/cables/wire_cables.hpp"
#include "engine/verify/cables/wire_ports.hpp"
#include "engine/verify/cables/wire_switches.hpp"

namespace fabric::verify {

namespace {

constexpr std::ptrdiff_t kMostAsked = 4;

std::size_t subnet_of(const InfinibandSubnets& subnets, const PortRef& port) {
  if (port.adapter.empty()) return subnets.of_switch.at(port.node);
  return subnets.of_port.at(port);
}

// For each subnet: the nodes to ask, in this order. Empty where nothing is unknown.
std::vector<std::vector<NodeName>> candidates(
    const NetworkSpec& network, const InfinibandSubnets& subnets, const WireCables& cables) {
  std::vector<std::vector<NodeName>> nodes(subnets.subnets.size());
  std::vector<bool> unknown(nodes.size());
  for (const CableSpec& cable : network.cables) {
    const std::size_t subnet = subnet_of(subnets, cable.a.value);
    if (unknown[subnet] && std::ssize(nodes[subnet]) > kMostAsked) continue;
    const CableReport report = cables.judge(cable, network);
    // Another look does not show the names of nodes of the subnet.
    const bool is_unnamed = report.lack == WireLack::adapter || report.lack == WireLack::number;
    if (report.state != CableState::no_data || is_unnamed) continue;
    unknown[subnet] = true;
    for (const PortRef* port : {&cable.a.value, &cable.b.value}) {
      if (!port->adapter.empty()) nodes[subnet].push_back(port->node);
    }
  }
  for (std::size_t subnet = 0; subnet < nodes.size(); ++subnet) {
    if (!unknown[subnet]) continue;
    std::vector<NodeName> managers;
    for (const PortRef& port : subnets.subnets[subnet].host_ports) {
      const bool manages = std::ranges::any_of(network.subnet_managers, [&](const auto& each) {
        return each.node.value == port.node.str();
      });
      (manages ? managers : nodes[subnet]).push_back(port.node);
    }
    nodes[subnet].insert(nodes[subnet].begin(), managers.begin(), managers.end());
  }
  return nodes;
}

}  // namespace

std::vector<NodeName> next_vantages(
    const FabricSpec& spec,
    const WireEvidence& evidence,
    const std::set<NodeName>& may_be_asked,
    const std::set<NodeName>& asked) {
  const WireCables cables{spec, evidence};
  std::set<NodeName> chosen;
  for (const auto& [name, network] : spec.networks) {
    if (network.mode.value != Mode::infiniband) continue;
    const InfinibandSubnets subnets = infiniband_subnets(network);
    const std::vector<std::vector<NodeName>> nodes = candidates(network, subnets, cables);
    for (std::size_t subnet = 0; subnet < nodes.size(); ++subnet) {
      std::set<NodeName> tried;
      for (const PortRef& port : subnets.subnets[subnet].host_ports) {
        if (asked.contains(port.node)) tried.insert(port.node);
      }
      if (std::ssize(tried) >= kMostAsked) continue;
      const auto next =
          std::find_if(nodes[subnet].begin(), nodes[subnet].end(), [&](const NodeName& node) {
            return may_be_asked.contains(node) && !asked.contains(node);
          });
      if (next != nodes[subnet].end()) chosen.insert(*next);
    }
  }
  return {chosen.begin(), chosen.end()};
}

std::map<PortRef, Guid> guids_in_subnets(
    const FabricSpec& spec, const WireEvidence& evidence, const std::set<PortRef>& ports) {
  std::map<PortRef, Guid> found;
  const WirePorts seen{evidence.views};
  const WireSwitches switches{spec, seen};
  const WireAdapters adapters{spec, evidence, seen, switches};
  for (const PortRef& port : ports) {
    const Place place = adapters.place(port);
    if (!place.at) continue;
    const std::string host = describe_adapter(seen.nodes()[place.at->node].name).host;
    const auto guid = seen.port_guid(*place.at);
    if (guid && !host.empty() && host_label(host) == host_label(port.node.str()))
      found.emplace(port, *guid);
  }
  return found;
}

}  // namespace fabric::verify
