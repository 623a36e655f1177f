// SPDX-License-Identifier: Apache-2.0
// Hosts with ESX 3.5 or 4: what follows for their drivers, and what is left to a person. Addresses,
// MTUs and VLANs belong to virtual switches there, which the vendor's guide leaves to the VI
// client.
#include <algorithm>

#include <fmt/format.h>

#include "engine/model/expand/expand.hpp"
#include "engine/model/expand/parts.hpp"
#include "engine/model/node_set_text.hpp"
#include "engine/model/vi3.hpp"

namespace fabric::expansion {

namespace {

constexpr RuleInfo kEsxClassicRules[] = {
    {"virtual-switch-by-hand",
     Severity::warning,
     RuleStage::document,
     "Addresses, MTUs and VLANs of an ESX host belong to its virtual switches and port groups, "
     "which fabric does not make. fabric sets the drivers beneath them.",
     "E-esx-virtual-switch: Mellanox InfiniBand OFED for VI 3.5 and vSphere 4.0, installation "
     "guide rev. 1.30, 4.4.2",
     "Set them in the VI client, or with esxcfg-vswitch and esxcfg-vmknic on the host."},
};

bool is_ours(const FabricSpec& spec, const PortRef& port) {
  const NodeSpec* node = spec.find_node(port.node.str());
  return node != nullptr && traits(node->platform.value).service_console &&
         node->state.value == NodeState::managed;
}

bool has_address(const NetworkSpec& network, const PortRef& port) {
  const IpSpec* ipoib = network.ipoib ? &network.ipoib->ipv4 : nullptr;
  return network.ipv4.addresses.contains(port) || network.ipv6.addresses.contains(port) ||
         (ipoib != nullptr && ipoib->addresses.contains(port));
}

// "MTU 4092, addresses, VLANs"; "" = nothing.
std::string left_to_hands(const NetworkSpec& network, const std::vector<PortRef>& ports) {
  std::vector<std::string> left;
  const bool is_infiniband = network.mode.value == Mode::infiniband;
  const std::uint32_t mtu = !is_infiniband  ? network.mtu.value
                            : network.ipoib ? network.ipoib->mtu.value
                                            : 0;
  if (mtu != 0) left.push_back(fmt::format("MTU {}", mtu));
  const bool addresses = std::any_of(
      ports.begin(), ports.end(), [&](const PortRef& port) { return has_address(network, port); });
  if (addresses) left.emplace_back("addresses");
  if (!network.vlans.empty()) left.emplace_back("VLANs");
  return fmt::format("{}", fmt::join(left, ", "));
}

}  // namespace

void tell_of_virtual_switches(const FabricSpec& spec, Diagnostics& diagnostics) {
  for (const auto& [name, network] : spec.networks) {
    std::vector<NodeName> hosts;
    std::vector<PortRef> ports;
    for (const PortRef& port : network.member_ports()) {
      if (!is_ours(spec, port)) continue;
      ports.push_back(port);
      if (std::ranges::find(hosts, port.node) == hosts.end()) hosts.push_back(port.node);
    }
    if (hosts.empty()) continue;
    const std::string left = left_to_hands(network, ports);
    if (left.empty()) continue;
    diagnostics
        .warning(
            "virtual-switch-by-hand",
            network.range,
            fmt::format(
                "network {} on {}: fabric makes no virtual switches of ESX; set there by hand: {}",
                name,
                fold(hosts),
                left))
        .with_help("in the VI client, or with esxcfg-vswitch and esxcfg-vmknic on the host");
  }
}

// The uplinks: one number for all ports on vSphere 4, a list of them on VI 3.5 (E-esx-uplinks).
std::optional<Uplinks> uplinks_of(const NodeResources& node) {
  if (!node.traits().service_console) return std::nullopt;
  std::optional<Uplinks> uplinks;
  std::size_t ports = 0;
  for (const auto& [name, members] : node.networks()) {
    const NetworkSpec& network = node.scope().network(name);
    if (network.mode.value != Mode::infiniband) continue;
    ports += members.size();
    if (!network.ipoib || !network.ipoib->uplinks) continue;
    const Sourced<std::uint32_t>& wanted = *network.ipoib->uplinks;
    if (!uplinks) uplinks = Uplinks{"ipoib_uplink_num", std::to_string(wanted.value), wanted.range};
  }
  if (!uplinks || !is_vi3(node.node())) return uplinks;
  const std::string each = uplinks->value;
  for (std::size_t port = 1; port < ports; ++port)
    uplinks->value += "," + each;
  uplinks->parameter = "UplinkNum";
  return uplinks;
}

}  // namespace fabric::expansion

namespace fabric {

RuleRows expansion_rules() {
  return expansion::kEsxClassicRules;
}

}  // namespace fabric
