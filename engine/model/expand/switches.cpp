// SPDX-License-Identifier: Apache-2.0
// Managed switches: what the networks at their cables need of their ports, bonds and VLANs.
#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "engine/base/text.hpp"
#include "engine/model/expand/bond_ends.hpp"
#include "engine/model/expand/parts.hpp"
#include "engine/model/lag_options.hpp"
#include "engine/model/resource_keys.hpp"
#include "engine/model/switch_configuration.hpp"
#include "engine/model/switch_port.hpp"

namespace fabric::expansion {

namespace {

List port_list(const std::vector<PortRef>& ports) {
  List list;
  for (const PortRef& port : ports)
    list.emplace_back(port.port);
  return list;
}

void want_bridged(const NodeResources& node, Resource& resource, const NetworkSpec& network) {
  const bool has_untagged = is_known(network.ipv4.range) || is_known(network.ipv6.range) ||
                            network.access_vlan.value != 0;
  if (!network.vlans.empty() && !has_untagged)
    resource.binding.emplace(switch_configuration::kTagsOnly, true);
  want(
      resource,
      "bridged",
      true,
      network.mode.range,
      fmt::format(
          "the ports of network {} have to reach each other through the switch", network.name));
  if (network.access_vlan.value == 0) return;
  if (!network.vlans.empty()) resource.binding.emplace(switch_configuration::kTags, true);
  resource.after.push_back(node.address(kinds::kVlan, network.name));
  want(
      resource,
      "access_vlan",
      network.access_vlan.value,
      network.access_vlan.range,
      fmt::format("untagged frames of network {} are in this VLAN at its switches", network.name));
}

// With a subnet of its own the port is in no bridge: the switch routes.
void want_routed(Resource& resource, const NetworkSpec& network, const PortRef& port) {
  const Sourced<IpAddress>& address = network.ipv4.addresses.at(port).front();
  const std::string why =
      fmt::format("each cable of network {} has a subnet of its own", network.name);
  want(resource, "bridged", false, network.ipv4.range, why);
  want(
      resource,
      "addresses",
      List{Value{fmt::format("{}/{}", address.value.str(), network.ipv4.prefix_length())}},
      address.range,
      why);
}

void want_mtu_at_switch(const NodeResources& node, Resource& resource, const NetworkSpec& network) {
  const Sourced<std::uint32_t>& own = node.node().mtu;
  if (own.value == 0 || network.mode.value == Mode::infiniband) return want_mtu(resource, network);
  want(resource, "mtu", own.value, own.range, "the switch has `mtu`");
}

void put_port(NodeResources& node, const NetworkSpec& network, const PortRef& port) {
  const SourceRange range = node.scope().member(port)->range;
  Resource resource = node.start(kinds::kInterface, port.port, range);
  const bool infiniband = network.mode.value == Mode::infiniband;
  resource.binding.emplace(keys::kSwitchPort, port.port);
  resource.binding.emplace(keys::kNetwork, network.name);
  resource.binding.emplace(keys::kLinkType, infiniband ? "infiniband" : "ethernet");
  resource.features.push_back(
      {infiniband ? "infiniband" : "ethernet",
       fmt::format("mode {} at this switch", to_string(network.mode.value)),
       network.mode.range});
  node.wait_for_foundation(resource);
  want(resource, "enabled", true, range, "the document has a cable at this port");
  want_mtu_at_switch(node, resource, network);
  if (network.ipv4.addresses.contains(port)) {
    resource.binding.emplace(keys::kFabric, node.scope().spec().name.value);
    want_routed(resource, network, port);
  } else if (!infiniband) {
    want_bridged(node, resource, network);
  }
  node.put(std::move(resource));
}

// The value for a switch that shares bonds without a pair, in the place of a domain.
constexpr std::string_view kSharing = "evpn";

void put_bond(
    NodeResources& node, const NetworkSpec& network, const NodeName& host, const BondEnd& end) {
  const LagSpec& lag = *network.lag;
  Resource bond =
      node.start(kinds::kBond, switch_bond_name(end.ports.front().port), network.mode.range);
  bond.binding.emplace(keys::kSwitchPorts, port_list(end.ports));
  bond.binding.emplace(keys::kNetwork, network.name);
  bond.binding.emplace(keys::kHost, host.str());
  bond.binding.emplace(keys::kFabric, node.scope().spec().name.value);
  bond.features.push_back({"", "mode lag at this switch", network.mode.range});
  node.wait_for_foundation(bond);
  want(
      bond,
      "mode",
      switch_bond_mode(lag.policy.value),
      lag.policy.range,
      fmt::format("policy {} of {} needs it at its other end", lag.policy.value, host.str()));
  want(
      bond,
      "members",
      port_list(end.ports),
      network.mode.range,
      fmt::format("the bond of {} is cabled to these ports", host.str()));
  want_mtu_at_switch(node, bond, network);
  want_bridged(node, bond, network);
  if (!end.at_peer.empty()) {
    want(
        bond,
        "mlag_id",
        mlag_id(node.node(), end),
        node.node().mlag->domain.range,
        fmt::format("{} is cabled to both switches of the pair", host.str()));
    const ResourceAddress pair = node.address(kinds::kMlag, node.node().mlag->domain.value);
    if (node.has(pair)) bond.after.push_back(pair);
  }
  if (end.shared) {
    const std::string why =
        fmt::format("{} is cabled to several switches, which share its bond", host.str());
    want(bond, "segment", end.shared->id.value, end.shared->id.range, why);
    want(bond, "segment_mac", end.shared->mac.value, end.shared->mac.range, why);
    bond.after.push_back(node.address(kinds::kMlag, std::string{kSharing}));
  }
  node.put(std::move(bond));
}

Map carrier(const NetworkSpec& network, List ports) {
  Map map{{"ports", std::move(ports)}};
  if (network.access_vlan.value != 0) map.emplace("access_vlan", network.access_vlan.value);
  return map;
}

// `carriers`: the ports and bonds where tagged frames of the network come in and go out; `before`:
// the resources that make them so. The VLAN of untagged frames has no name.
void put_vlan(
    NodeResources& node,
    const NetworkSpec& network,
    const VlanSpec& vlan,
    const List& carriers,
    const std::vector<ResourceAddress>& before) {
  const bool is_tagged = !vlan.name.empty();
  Resource resource =
      node.start(kinds::kVlan, network.name + (is_tagged ? "." : "") + vlan.name, vlan.range);
  resource.binding.emplace(keys::kNetwork, network.name);
  resource.binding.emplace(keys::kId, vlan.id.value);
  resource.binding.emplace(keys::kCarriedAt, carriers);
  resource.features.push_back(
      {"", is_tagged ? "`vlans` at this switch" : "`access_vlan` at this switch", vlan.range});
  node.wait_for_foundation(resource);
  resource.after.insert(resource.after.end(), before.begin(), before.end());
  want(
      resource,
      "id",
      vlan.id.value,
      vlan.id.range,
      is_tagged ? fmt::format("VLAN {} of network {}", vlan.name, network.name)
                : fmt::format("untagged frames of network {} are in it", network.name));
  node.put(std::move(resource));
}

// Hosts at one switch alone, and those that have lost a port, are reached by the other one over the
// link: what the networks carry fits through it.
void want_mtu_of_link(NodeResources& node, Resource& resource) {
  const NetworkSpec* largest = nullptr;
  for (const auto& [name, ports] : node.networks()) {
    const NetworkSpec& network = node.scope().network(name);
    if (network.mode.value == Mode::infiniband) continue;
    if (largest == nullptr || network.mtu.value > largest->mtu.value) largest = &network;
  }
  if (largest != nullptr) want_mtu_at_switch(node, resource, *largest);
}

void put_mlag(NodeResources& node) {
  const NodeSpec& spec = node.node();
  if (!spec.mlag) return;
  const MlagSpec& mlag = *spec.mlag;
  if (mlag.by_evpn()) {
    Resource resource = node.start(kinds::kMlag, std::string{kSharing}, mlag.by.range);
    resource.features.push_back({"evpn", "`mlag: {by: evpn}`", mlag.by.range});
    node.wait_for_foundation(resource);
    want(resource, "multihoming", true, mlag.by.range, "bonds of hosts end at several switches");
    node.put(std::move(resource));
    return;
  }
  Resource resource = node.start(kinds::kMlag, mlag.domain.value, mlag.domain.range);
  resource.binding.emplace(keys::kPeer, mlag.peer.value);
  if (mlag.vlan.value != 0) resource.binding.emplace(keys::kVlan, mlag.vlan.value);
  resource.binding.emplace(keys::kFirst, spec.name.str() < mlag.peer.value);
  resource.features.push_back({"", "`mlag`", mlag.domain.range});
  node.wait_for_foundation(resource);
  List ports = link_ports(spec);
  if (!ports.empty()) {
    want(
        resource,
        "peerlink",
        std::move(ports),
        mlag.ipl.front().range,
        "these ports join the two switches of the pair");
  }
  want(
      resource,
      "system_mac",
      mlag.system_mac.value.empty() ? pair_mac(mlag.domain.value, spec.platform.value)
                                    : to_lower(mlag.system_mac.value),
      mlag.system_mac.value.empty() ? mlag.domain.range : mlag.system_mac.range,
      fmt::format("both switches of domain {} use one address for LACP", mlag.domain.value));
  want_mtu_of_link(node, resource);
  const NodeSpec* peer = node.scope().spec().find_node(mlag.peer.value);
  if (!mlag.address.value.empty() && peer != nullptr && peer->mlag) {
    resource.features.push_back({"address", "`mlag.address`", mlag.address.range});
    resource.binding.emplace(keys::kAddress, mlag.address.value);
    resource.binding.emplace(keys::kPeerAddress, peer->mlag->address.value);
  }
  if (!mlag.vip.value.empty()) {
    resource.features.push_back({"vip", "`mlag.vip`", mlag.vip.range});
    want(
        resource,
        "vip",
        mlag.vip.value,
        mlag.vip.range,
        "the two switches find each other by it, in the management network");
  }
  const Sourced<std::string> backup =
      mlag.backup.value.empty() && peer != nullptr
          ? Sourced<std::string>{peer->address.value, mlag.peer.range}
          : mlag.backup;
  if (IpAddress::parse(backup.value)) {
    want(
        resource,
        "backup",
        backup.value,
        backup.range,
        fmt::format(
            "the switch asks {} at this address when the ports between the pair are down",
            mlag.peer.value));
  }
  node.put(std::move(resource));
}

// The MTU of IPoIB in the default partition as the switch makes it (E-onyx-partitions).
constexpr std::uint32_t kOwnIpoibMtu = 2044;

// Adds a manager's partitions. A switch has a default partition by itself, and no other.
void want_of_manager(Resource& resource, const Scope& scope, const NetworkSpec& network) {
  const bool has_larger_group = network.ipoib && network.ipoib->mtu.value > kOwnIpoibMtu;
  if (!network.partitions.empty() || has_larger_group) {
    const SourceRange range = key_range(network, network.partitions.empty() ? "mtu" : "partitions");
    resource.features.push_back({"partitions", "`partitions` at this switch", range});
    const InfinibandNetwork& infiniband = scope.infiniband(network.name);
    const auto subnet = infiniband.subnets.of_switch.find(resource.address.node);
    want_partitions(
        resource,
        scope.spec(),
        network,
        infiniband,
        subnet == infiniband.subnets.of_switch.end() ? std::nullopt
                                                     : std::optional{subnet->second});
  }
  if (!network.subnet_manager) return;
  const SubnetManagerSpec& options = *network.subnet_manager;
  if (is_known(options.virtualization.range)) {
    const SourceRange range = options.virtualization.range;
    resource.features.push_back({"virtualization", "`virtualization` at this switch", range});
    want(
        resource,
        "virtualization",
        options.virtualization.value,
        range,
        "without it virtual functions have no port in the subnet");
  }
  const auto refuse = [&resource](const char* key, SourceRange range) {
    resource.features.push_back({key, fmt::format("`{}` at this switch", key), range});
  };
  if (!options.routing_engine.value.empty()) refuse("routing_engine", options.routing_engine.range);
  if (!options.subnet_prefix.value.empty()) refuse("subnet_prefix", options.subnet_prefix.range);
  if (!options.roots.empty()) refuse("roots", options.roots.front().range);
  if (!options.io.empty()) refuse("io", options.io.front().range);
}

void put_managers(NodeResources& node) {
  for (const auto& [name, network] : node.scope().spec().networks) {
    if (network.mode.value != Mode::infiniband) continue;
    if (network.subnet_manager && network.subnet_manager->external.value) continue;
    for (const SubnetManagerPlacement& placement : network.subnet_managers) {
      if (placement.node.value != node.node().name.str()) continue;
      Resource resource = node.start(kinds::kSubnetManager, name, placement.range);
      resource.binding.emplace(keys::kNetwork, name);
      resource.features.push_back({"", "a subnet manager on this switch", placement.node.range});
      want(resource, "manages", true, placement.node.range, "the document places it here");
      want(
          resource,
          "priority",
          placement.priority.value,
          is_known(placement.priority.range) ? placement.priority.range : placement.range,
          "the document sets its priority");
      want_of_manager(resource, node.scope(), network);
      node.put(std::move(resource));
    }
  }
}

// The resources of managed switches at their ports.
std::map<PortRef, ResourceAddress> at_ports(const std::vector<Resource>& resources) {
  std::map<PortRef, ResourceAddress> found;
  for (const Resource& each : resources) {
    if (only_observed(each)) continue;
    if (const Value* port = each.bound(keys::kSwitchPort))
      found.emplace(PortRef{each.address.node, "", to_text(*port)}, each.address);
    for (const Value& port : each.bound_list(keys::kSwitchPorts))
      found.emplace(PortRef{each.address.node, "", to_text(port)}, each.address);
  }
  return found;
}

// The managers on switches, by network. A port is not in order before one manages the subnet.
std::map<std::string, ResourceAddress> switch_managers(const std::vector<Resource>& resources) {
  std::map<std::string, ResourceAddress> found;
  for (const Resource& each : resources) {
    const bool is_of_switch = each.address.kind == kinds::kSubnetManager &&
                              !each.binding.contains(keys::kPort) && !only_observed(each);
    if (is_of_switch) found.emplace(each.address.name, each.address);
  }
  return found;
}

}  // namespace

bool is_lower(const PortRef& a, const PortRef& b) {
  return is_lower_port(a.port, b.port);
}

void expand_switch(NodeResources& node) {
  put_mlag(node);
  for (const auto& [name, ports] : node.networks()) {
    const NetworkSpec& network = node.scope().network(name);
    if (network.access_vlan.value != 0) {
      VlanSpec untagged;
      untagged.range = network.access_vlan.range;
      untagged.id = network.access_vlan;
      put_vlan(node, network, untagged, {}, {});
    }
    std::set<PortRef> in_bonds;
    List carriers;
    std::vector<ResourceAddress> before;
    if (network.mode.value == Mode::lag && !switch_bond_mode(network.lag->policy.value).empty()) {
      for (const auto& [host, end] : bond_ends(node.scope().spec(), network, node.node())) {
        put_bond(node, network, host, end);
        in_bonds.insert(end.ports.begin(), end.ports.end());
        before.push_back(node.address(kinds::kBond, switch_bond_name(end.ports.front().port)));
        Map bond = carrier(network, port_list(end.ports));
        bond.emplace("bond", true);
        if (!end.at_peer.empty()) bond.emplace("mlag_id", mlag_id(node.node(), end));
        carriers.emplace_back(std::move(bond));
      }
    }
    for (const PortRef& port : ports) {
      if (in_bonds.contains(port)) continue;
      put_port(node, network, port);
      before.push_back(node.address(kinds::kInterface, port.port));
      carriers.emplace_back(carrier(network, port_list({port})));
    }
    if (network.mode.value == Mode::infiniband) continue;
    for (const VlanSpec& vlan : network.vlans)
      put_vlan(node, network, vlan, carriers, before);
  }
  put_managers(node);
  expand_configuration(node);
}

namespace {

// REQUIRES: `resources` are in order of address. Null: the port has no interface.
Resource* find_interface(std::vector<Resource>& resources, const PortRef& port) {
  const ResourceAddress address{port.node, std::string{kinds::kInterface}, port_name(port)};
  const auto found = std::lower_bound(
      resources.begin(),
      resources.end(),
      address,
      [](const Resource& each, const ResourceAddress& wanted) { return each.address < wanted; });
  return found == resources.end() || found->address != address ? nullptr : &*found;
}

}  // namespace

void wait_for_switches(const Scope& scope, std::vector<Resource>& resources) {
  const std::map<PortRef, ResourceAddress> before = at_ports(resources);
  const std::map<std::string, ResourceAddress> managers = switch_managers(resources);
  if (before.empty() && managers.empty()) return;
  for (const auto& [name, network] : scope.spec().networks) {
    for (const CableSpec& cable : network.cables) {
      for (const PortRef* port : {&cable.a.value, &cable.b.value}) {
        const PortRef* host = other_end(cable, *port);
        Resource* found = host->adapter.empty() ? nullptr : find_interface(resources, *host);
        if (found == nullptr) continue;
        const auto first = before.find(*port);
        const auto manager = managers.find(name);
        if (first != before.end()) found->after.push_back(first->second);
        if (manager != managers.end()) found->after.push_back(manager->second);
      }
    }
  }
}

}  // namespace fabric::expansion
