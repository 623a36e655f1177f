// SPDX-License-Identifier: Apache-2.0
#include "engine/verify/paths/endpoints.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "engine/base/text.hpp"
#include "engine/model/partition_ports.hpp"
#include "engine/model/resource_keys.hpp"
#include "engine/provider/vmkernel.hpp"

namespace fabric::verify {

namespace {

std::string device_of(
    const NetworkSpec& network, const Endpoint& endpoint, const discovery::Evidence& known) {
  if (const LagSpec* lag = lag_of(network)) return lag->bond.value;
  const discovery::PortEvidence port = known.port(endpoint.port());
  return port.device ? port.device->name : std::string{};
}

std::string device_in(const NetworkSpec& network, const std::string& vlan, std::string parent) {
  if (vlan.empty() || parent.empty()) return parent;
  const auto found =
      std::ranges::find_if(network.vlans, [&](const VlanSpec& each) { return each.name == vlan; });
  return fmt::format("{}.{}", parent, found->id.value);
}

// The IP MTU of an endpoint. If the document has none for IPoIB, that of its interface: a frame
// that it takes has to arrive.
std::uint32_t mtu_of(
    const NetworkSpec& network, const Endpoint& endpoint, const discovery::Evidence& known) {
  if (network.mode.value != Mode::infiniband)
    return network.mtu.value == 0 ? kDefaultMtu : network.mtu.value;
  if (network.ipoib && network.ipoib->mtu.value != 0) return network.ipoib->mtu.value;
  const discovery::PortEvidence port = known.port(endpoint.port());
  return port.device ? static_cast<std::uint32_t>(port.device->mtu.value_or(0)) : 0;
}

// The virtual switch of the network on that node; "" = its ports are under none.
const std::string& vswitch_of(
    const FabricSpec& spec, const NetworkSpec& network, const NodeName& node) {
  static const std::string none;
  return traits(spec.nodes.at(node).platform.value).virtual_switches ? network.vswitch.value : none;
}

// The kernel's first interface on a virtual switch, with the address that its host gives it,
// because the document gives none. It has no address where the kernel has none there.
Endpoint kernel_endpoint(
    const NetworkSpec& network, std::vector<PortRef> ports, const discovery::Evidence& known) {
  Endpoint endpoint{std::move(ports), {}, {}, 0};
  const Reading* addresses = known.running(
      {endpoint.node(), std::string{kinds::kVswitch}, network.vswitch.value}, kVmkernelAddresses);
  const List& list = or_null(addresses == nullptr ? nullptr : addresses->value()).items();
  if (list.empty()) return endpoint;
  const std::string first = to_text(list.front());
  const std::vector<std::string_view> words = split_words(std::string_view{first});
  if (words.size() != 2) return endpoint;
  endpoint.device = words[0];
  endpoint.address = words[1];
  endpoint.mtu = network.mtu.value == 0 ? kDefaultMtu : network.mtu.value;
  return endpoint;
}

// The ports that carry one address each: a port, those of a bond, those under a virtual switch.
std::vector<std::vector<PortRef>> carriers(const FabricSpec& spec, const NetworkSpec& network) {
  std::vector<std::vector<PortRef>> all;
  for (const auto& [node, ports] : host_ports_by_node(spec, network)) {
    if (lag_of(network) != nullptr || !vswitch_of(spec, network, node).empty()) {
      all.push_back(ports);
    } else {
      for (const PortRef& port : ports)
        all.push_back({port});
    }
  }
  return all;
}

}  // namespace

std::vector<const IpSpec*> families_of(const NetworkSpec& network, const std::string& vlan) {
  if (vlan.empty()) {
    if (network.mode.value != Mode::infiniband) return {&network.ipv4, &network.ipv6};
    return network.ipoib ? std::vector{&network.ipoib->ipv4} : std::vector<const IpSpec*>{};
  }
  for (const VlanSpec& each : network.vlans) {
    if (each.name == vlan) return {&each.ipv4};
  }
  return {};
}

std::vector<Endpoint> endpoints(
    const FabricSpec& spec,
    const NetworkSpec& network,
    const discovery::Evidence& evidence,
    const std::string& vlan,
    Hosts hosts) {
  std::vector<Endpoint> found;
  if (network.mode.value == Mode::lag && !network.lag) return found;
  if (network.mode.value == Mode::infiniband && !vlan.empty()) return found;
  const std::vector<const IpSpec*> families = families_of(network, vlan);
  for (const std::vector<PortRef>& ports : carriers(spec, network)) {
    if (!vswitch_of(spec, network, ports.front().node).empty()) {
      Endpoint kernel = kernel_endpoint(network, ports, evidence);
      if (vlan.empty() && !kernel.address.empty()) found.push_back(std::move(kernel));
      continue;
    }
    if (hosts == Hosts::reached && !evidence.node(ports.front().node).reached) continue;
    for (const IpSpec* family : families) {
      const IpAddress* address = address_of({family}, ports);
      if (address == nullptr) continue;
      Endpoint endpoint{ports, {}, address->str(), 0};
      endpoint.device = device_in(network, vlan, device_of(network, endpoint, evidence));
      endpoint.mtu = mtu_of(network, endpoint, evidence);
      found.push_back(std::move(endpoint));
    }
  }
  return found;
}

const Endpoint* Ends::find(
    const std::string& network, const std::string& vlan, const PortRef& port) {
  const auto [group, added] = known_.try_emplace({network, vlan});
  const auto declared = spec_.networks.find(network);
  if (added && declared != spec_.networks.end()) {
    for (Endpoint& each : endpoints(spec_, declared->second, evidence_, vlan)) {
      const PortRef key = each.port();
      group->second.emplace(key, std::move(each));
    }
  }
  const auto found = group->second.find(port);
  return found == group->second.end() ? nullptr : &found->second;
}

bool is_host(const FabricSpec& spec, const PortRef& port) {
  const NodeSpec* node = spec.find_node(port.node.str());
  return node != nullptr && !port.adapter.empty() && is_host_of_ours(spec, *node);
}

std::map<NodeName, std::vector<PortRef>> host_ports_by_node(
    const FabricSpec& spec, const NetworkSpec& network) {
  std::map<NodeName, std::vector<PortRef>> nodes;
  for (const PortRef& port : ipoib_ports(network, network.member_ports())) {
    if (is_host(spec, port)) nodes[port.node].push_back(port);
  }
  return nodes;
}

bool is_missing_bond(
    const NetworkSpec& network, const NodeName& node, const discovery::Evidence& evidence) {
  const LagSpec* lag = lag_of(network);
  if (lag == nullptr) return false;
  const Reading* mode = evidence.running({node, "bond", lag->bond.value}, "mode");
  return mode != nullptr && mode->is_absent();
}

const IpAddress* address_of(
    const std::vector<const IpSpec*>& families, const std::vector<PortRef>& ports) {
  for (const IpSpec* family : families) {
    for (const PortRef& port : ports) {
      const auto found = family->addresses.find(port);
      if (found != family->addresses.end() && !found->second.empty())
        return &found->second.front().value;
    }
  }
  return nullptr;
}

}  // namespace fabric::verify
