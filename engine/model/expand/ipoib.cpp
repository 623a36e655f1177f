// SPDX-License-Identifier: Apache-2.0
// IP over InfiniBand: the interface of a port, and its children in partitions.
#include <algorithm>
#include <iterator>
#include <set>

#include <fmt/format.h>

#include "engine/model/expand/parts.hpp"
#include "engine/model/partition_ports.hpp"
#include "engine/model/resource_keys.hpp"

namespace fabric::expansion {

namespace {

constexpr std::int64_t kIdentity = 0x7fff;
constexpr std::int64_t kFullMember = 0x8000;
constexpr std::uint32_t kHeader = 4;  // RFC 4391: the IPoIB header of a datagram

// Without a manager the subnet has no multicast groups, and IPoIB no carrier.
void wait_for_managers(
    const NodeResources& node,
    const NetworkSpec& network,
    const PortRef& port,
    Resource& resource) {
  for (const Manager* manager : node.scope().managers_before(network, port)) {
    resource.after.push_back(
        {manager->port.node, "subnet_manager", network.name + "." + port_name(manager->port)});
  }
}

void want_mode(Resource& resource, const NetworkSpec& network) {
  if (!network.ipoib || network.ipoib->mode.value.empty()) return;
  const Sourced<std::string>& mode = network.ipoib->mode;
  want(resource, "ipoib_mode", mode.value, mode.range, "the document chooses this mode of IPoIB");
}

// `carries`: children lie on the port.
void put_interface(
    NodeResources& node,
    const NetworkSpec& network,
    const PortRef& port,
    bool first,
    bool carries) {
  const std::string_view key = network.ipoib ? "ipoib" : "vlans";
  Resource resource =
      node.start(kinds::kInterface, port_name(port), node.scope().member(port)->range);
  resource.binding.merge(node.port_binding(port));
  resource.binding.emplace(keys::kLinkType, "infiniband");
  resource.features.push_back({"infiniband", fmt::format("`{}`", key), key_range(network, key)});
  node.bind_network(resource, network);
  if (carries) resource.binding.emplace(keys::kCarries, true);
  node.wait_for_port(resource, port);
  wait_for_managers(node, network, port, resource);
  want_mode(resource, network);
  if (network.ipoib) {
    want_ipoib_mtu(resource, network);
    if (network.ipoib->bond)
      want_master(node, resource, network, port);
    else
      want_ip(resource, {network, port, network.ipoib->ipv4, nullptr, first});
  }
  if (carries) want_file(resource, network);
  if (!resource.desired.empty()) node.put(std::move(resource));
}

// A datagram of a partition is at most its IB MTU less the header, and no more than the parent's.
void want_child_mtu(
    Resource& resource, const NetworkSpec& network, const PartitionSpec& partition) {
  const bool connected = network.ipoib && network.ipoib->mode.value == "connected";
  const Sourced<std::uint32_t> own{
      partition.mtu.value == 0 || connected ? 0 : partition.mtu.value - kHeader,
      partition.mtu.range};
  const Sourced<std::uint32_t> parent =
      network.ipoib ? network.ipoib->mtu : Sourced<std::uint32_t>{};
  const bool is_own = own.value != 0 && (parent.value == 0 || own.value < parent.value);
  const Sourced<std::uint32_t>& chosen = is_own ? own : parent;
  if (chosen.value == 0) return;
  want(
      resource,
      "mtu",
      chosen.value,
      chosen.range,
      is_own ? fmt::format(
                   "partition {} has the IB MTU {}, less {} bytes",
                   partition.name,
                   partition.mtu.value,
                   kHeader)
             : fmt::format("IPoIB of network {} has MTU {}", network.name, chosen.value));
}

void put_child(
    NodeResources& node,
    const NetworkSpec& network,
    const VlanSpec& vlan,
    const PortRef& port,
    bool first) {
  const PartitionSpec& partition = *find_partition(network, vlan.partition.value);
  const std::int64_t pkey = partition.pkey.value & kIdentity;
  Resource resource = node.start(
      kinds::kIpoib, fmt::format("{}.{:04x}", port_name(port), pkey | kFullMember), vlan.range);
  if (node.has(resource.address)) return;  // two VLANs of one partition
  resource.binding.merge(node.port_binding(port));
  resource.binding.emplace(keys::kPkey, pkey);
  resource.features.push_back({"", "`vlans`", vlan.range});
  node.bind_network(resource, network);
  resource.binding.emplace(keys::kParent, port_name(port));
  resource.beneath.push_back(node.address(kinds::kInterface, port_name(port)));
  node.wait_for_port(resource, port);
  wait_for_managers(node, network, port, resource);
  want(
      resource,
      "pkey",
      pkey,
      partition.pkey.range,
      fmt::format("VLAN {} is carried by partition {}", vlan.name, partition.name));
  want_mode(resource, network);
  want_child_mtu(resource, network, partition);
  want_ip(resource, {network, port, vlan.ipv4, nullptr, first});
  node.put(std::move(resource));
}

// Its partition is missing only with `vlan-needs-partition`, an error.
std::vector<PortRef> child_ports(
    const NetworkSpec& network, const VlanSpec& vlan, const std::vector<PortRef>& members) {
  return ipoib_ports(network, *find_partition(network, vlan.partition.value), members);
}

}  // namespace

void want_ipoib_mtu(Resource& resource, const NetworkSpec& network) {
  const Sourced<std::uint32_t>& mtu = network.ipoib->mtu;
  if (mtu.value == 0) return;
  want(
      resource,
      "mtu",
      mtu.value,
      mtu.range,
      fmt::format("IPoIB of network {} has MTU {}", network.name, mtu.value));
}

void expand_ipoib(NodeResources& node) {
  for (const auto& [name, members] : node.networks()) {
    const NetworkSpec& network = node.scope().network(name);
    if (network.mode.value != Mode::infiniband) continue;
    std::set<PortRef> carrying;
    for (const VlanSpec& vlan : network.vlans)
      std::ranges::copy(
          child_ports(network, vlan, members), std::inserter(carrying, carrying.end()));
    std::vector<PortRef> ports = ipoib_ports(network, members);
    if (!network.ipoib)
      std::erase_if(ports, [&](const PortRef& port) { return !carrying.contains(port); });
    for (const PortRef& port : ports)
      put_interface(node, network, port, port == ports.front(), carrying.contains(port));
    for (const VlanSpec& vlan : network.vlans) {
      const std::vector<PortRef> below = child_ports(network, vlan, members);
      for (const PortRef& port : below)
        put_child(node, network, vlan, port, port == below.front());
    }
  }
}

}  // namespace fabric::expansion
