// SPDX-License-Identifier: Apache-2.0
// Ethernet ports: their interfaces, the bonds that some are slaves of, the VLANs on either.
#include <algorithm>

#include <fmt/format.h>

#include "engine/model/expand/bond_ends.hpp"
#include "engine/model/expand/parts.hpp"
#include "engine/model/lag_options.hpp"
#include "engine/model/partition_ports.hpp"
#include "engine/model/resource_keys.hpp"

namespace fabric::expansion {

namespace {

std::string mode_written(const NetworkSpec& network) {
  return fmt::format("mode {}", to_string(network.mode.value));
}

// Beside the tables of hosts that forward (transit.cpp).
constexpr std::int64_t kFirstSourceTable = 4501;

// The other cables of the network are reached by way of the switch.
void want_rail(Resource& resource, const NetworkSpec& network, const IpAddress& router) {
  List routes;
  if (const auto written = resource.desired.find("routes"); written != resource.desired.end())
    routes = *written->second.value.as_list();
  routes.emplace_back(Map{{"to", network.ipv4.subnet->value.str()}, {"via", router.str()}});
  resource.desired.erase("routes");
  want(
      resource,
      "routes",
      std::move(routes),
      network.ipv4.range,
      fmt::format("the other cables of network {} are behind the switch", network.name));
}

// True in a ring: a packet leaves by the port that has its source, so that request and answer
// between two unlike ports take the same arc: if anything on the other arc is away, that pair still
// works (E-chain-source-rules).
bool is_by_source(const Scope& scope, const std::string& network, const PortRef& port) {
  return scope.network(network).mode.value == Mode::chain || scope.router(port) != nullptr;
}

void want_source_table(
    const NodeResources& node,
    Resource& resource,
    const NetworkSpec& network,
    const PortRef& port) {
  const bool has_address = network.ipv4.addresses.contains(port);
  if (!node.traits().linux_host || !has_address) return;
  std::vector<PortRef> chained;
  for (const auto& [name, ports] : node.networks()) {
    for (const PortRef& each : ports)
      if (is_by_source(node.scope(), name, each)) chained.push_back(each);
  }
  std::sort(chained.begin(), chained.end());
  want(
      resource,
      "source_table",
      kFirstSourceTable + (std::ranges::lower_bound(chained, port) - chained.begin()),
      network.mode.range,
      "packets leave by the port that has their source address, so that after a fault each two "
      "hosts keep a working pair of addresses");
}

// The statements that foreign files may have beside the interface itself.
void bind_beside(
    const NodeResources& node,
    Resource& resource,
    const NetworkSpec& network,
    const PortRef* port = nullptr) {
  if (!node.node().adopt.value) return;
  List ids;
  for (const VlanSpec& vlan : network.vlans)
    ids.emplace_back(vlan.id.value);
  if (!ids.empty()) resource.binding.emplace(keys::kVlans, std::move(ids));
  for (const AdapterSpec& adapter : *node.node().adapters) {
    if (port != nullptr && adapter.name == port->adapter && adapter.sriov)
      resource.binding.emplace(keys::kVfs, adapter.sriov->vfs);
  }
}

void put_interface(
    NodeResources& node, const NetworkSpec& network, const PortRef& port, bool first) {
  Resource resource =
      node.start(kinds::kInterface, port_name(port), node.scope().member(port)->range);
  resource.binding.merge(node.port_binding(port));
  resource.binding.emplace(keys::kLinkType, "ethernet");
  node.bind_network(resource, network);
  bind_beside(node, resource, network, &port);
  node.wait_for_port(resource, port);
  want_mtu(resource, network);
  if (!network.vlans.empty() && network.mode.value != Mode::lag)
    resource.binding.emplace(keys::kCarries, true);
  if (network.mode.value == Mode::lag) {
    want_master(node, resource, network, port);
    resource.features.push_back({"bond", mode_written(network), network.mode.range});
  } else {
    want_ip(resource, {network, port, network.ipv4, &network.ipv6, first});
    if (has_transit(network)) want_transit(node, resource, network, port);
    if (const IpAddress* router = node.scope().router(port)) want_rail(resource, network, *router);
    if (is_by_source(node.scope(), network.name, port))
      want_source_table(node, resource, network, port);
  }
  if (node.traits().linux_host && !network.vlans.empty()) want_file(resource, network);
  if (!resource.desired.empty()) node.put(std::move(resource));
}

// The options as the driver will have them, without those that it ignores: a file or a read-back
// could never match these. The rules of mode lag have reported them.
void want_bond_options(Resource& bond, const LagSpec& lag) {
  const std::string reason = "the document sets this option of the bond";
  want(bond, "mode", lag.policy.value, lag.policy.range, "the document chooses this policy");
  want(bond, "miimon", lag.miimon.value, lag.miimon.range, "the link is watched this often");
  for (const auto& [attribute, delay] :
       {std::pair{"updelay", &lag.updelay}, std::pair{"downdelay", &lag.downdelay}}) {
    if (!*delay) continue;
    if (const auto in_force = delay_in_force(lag, (*delay)->value))
      want(bond, attribute, *in_force, (*delay)->range, reason);
  }
  if (lag.min_links && policy_has(lag.policy.value, "min_links"))
    want(bond, "min_links", lag.min_links->value, lag.min_links->range, reason);
  for (const auto& [attribute, text] :
       {std::pair{"lacp_rate", &lag.lacp_rate},
        std::pair{"hash_policy", &lag.hash_policy},
        std::pair{"primary", &lag.primary},
        std::pair{"ad_select", &lag.ad_select}}) {
    if (!text->value.empty() && policy_has(lag.policy.value, attribute))
      want(bond, attribute, text->value, text->range, reason);
  }
}

List slave_bindings(const NodeResources& node, const std::vector<PortRef>& slaves) {
  List list;
  for (const PortRef& slave : slaves)
    list.emplace_back(node.port_binding(slave));
  return list;
}

void put_bond(NodeResources& node, const NetworkSpec& network, const std::vector<PortRef>& slaves) {
  const LagSpec& lag = *lag_of(network);
  const bool infiniband = network.mode.value == Mode::infiniband;
  const SourceRange place = infiniband ? lag.range : network.mode.range;
  Resource bond = node.start(kinds::kBond, lag.bond.value, place);
  bond.binding.emplace(keys::kBond, lag.bond.value);
  bond.binding.emplace(keys::kSlaves, slave_bindings(node, slaves));
  node.bind_network(bond, network);
  if (infiniband) {  // E-bonding-ipoib
    bond.binding.emplace(keys::kLinkType, "infiniband");
    if (!network.ipoib->mode.value.empty())
      bond.binding.emplace(keys::kIpoibMode, network.ipoib->mode.value);
    bond.features.push_back({"infiniband", "`ipoib.bond`", place});
    want(bond, "fail_over_mac", "active", place, "an IPoIB interface keeps its own address");
  } else {
    bind_beside(node, bond, network);
    bond.features.push_back({"", mode_written(network), place});
  }
  want_bond_options(bond, lag);
  List names;
  for (const PortRef& slave : slaves) {
    names.emplace_back(port_name(slave));
    bond.beneath.push_back(node.address(kinds::kInterface, port_name(slave)));
    node.wait_for_port(bond, slave);
  }
  want(
      bond,
      "slaves",
      std::move(names),
      place,
      fmt::format("these ports are in network {}", network.name));
  if (infiniband) {
    want_ipoib_mtu(bond, network);
    want_ip(bond, {network, slaves.front(), network.ipoib->ipv4});
  } else {
    want_mtu(bond, network);
    want_ip(bond, {network, slaves.front(), network.ipv4, &network.ipv6});
  }
  if (expects_roce_lag(node.node(), network, slaves)) {
    const bool written = lag.roce && is_known(lag.roce->range);
    want(
        bond,
        "roce",
        true,
        written ? lag.roce->range : lag.policy.range,
        "both ports of the card form one RDMA device");
  }
  node.put(std::move(bond));
}

// The resource that a VLAN lies on.
struct Parent {
  std::string_view kind;
  std::string name;
  PortRef port;  // its port; for a bond the first slave's
  Map binding;   // how to find it
};

std::vector<Parent> parents(
    const NodeResources& node, const NetworkSpec& network, const std::vector<PortRef>& ports) {
  std::vector<Parent> result;
  if (network.mode.value == Mode::lag) {
    const std::string& bond = network.lag->bond.value;
    Map binding;
    binding.emplace(keys::kBond, bond);
    binding.emplace(keys::kSlaves, slave_bindings(node, ports));
    result.push_back({kinds::kBond, bond, ports.front(), std::move(binding)});
    return result;
  }
  for (const PortRef& port : ports)
    result.push_back({kinds::kInterface, port_name(port), port, node.port_binding(port)});
  return result;
}

void put_vlan(
    NodeResources& node,
    const NetworkSpec& network,
    const VlanSpec& vlan,
    const Parent& parent,
    std::string name,
    bool first) {
  Resource resource = node.start(kinds::kVlan, std::move(name), vlan.range);
  resource.binding.insert(parent.binding.begin(), parent.binding.end());
  resource.binding.emplace(keys::kParentKind, parent.kind);
  resource.binding.emplace(keys::kParent, parent.name);
  resource.binding.emplace(keys::kId, vlan.id.value);
  node.bind_network(resource, network);
  resource.features.push_back({"", "`vlans`", vlan.range});
  const ResourceAddress beneath = node.address(parent.kind, parent.name);
  if (node.has(beneath)) resource.beneath.push_back(beneath);
  node.wait_for_port(resource, parent.port);
  want(
      resource,
      "id",
      vlan.id.value,
      vlan.id.range,
      fmt::format("VLAN {} of network {}", vlan.name, network.name));
  want_mtu(resource, network);
  want_ip(resource, {network, parent.port, vlan.ipv4, nullptr, first});
  node.put(std::move(resource));
}

// An ESXi host has its ports under a virtual switch, which has their MTU; a card that a guest has
// is the guest's.
bool put_vswitch(NodeResources& node, const NetworkSpec& network, std::vector<PortRef> ports) {
  if (!node.traits().virtual_switches) return false;
  std::erase_if(ports, [&node](const PortRef& port) {
    const AdapterSpec* adapter = node.node().find_adapter(port.adapter);
    return adapter != nullptr && adapter->sriov && adapter->sriov->passthrough;
  });
  if (ports.empty()) return true;
  if (network.vswitch.value.empty()) return false;
  Resource resource = node.start(kinds::kVswitch, network.vswitch.value, network.vswitch.range);
  resource.binding.emplace(keys::kNetwork, network.name);
  want_mtu(resource, network);
  if (resource.desired.empty()) return true;
  want(
      resource,
      "vmkernel_mtu",
      network.mtu.value,
      network.mtu.range,
      fmt::format("network {} has MTU {}", network.name, network.mtu.value));
  List members;
  for (const PortRef& port : ports)
    members.emplace_back(node.port_binding(port));
  resource.binding.emplace(keys::kMembers, std::move(members));
  if (!node.has(resource.address)) node.put(std::move(resource));
  return true;
}

}  // namespace

void want_file(Resource& parent, const NetworkSpec& network) {
  if (!parent.desired.empty()) return;
  want(
      parent,
      "addresses",
      List{},
      network.range,
      "VLANs lie on the port, and they alone have addresses");
}

void want_master(
    const NodeResources& node, Resource& slave, const NetworkSpec& network, const PortRef& port) {
  const LagSpec& lag = *lag_of(network);
  slave.binding.emplace(keys::kBond, lag.bond.value);
  const AdapterSpec* adapter = node.node().find_adapter(port.adapter);
  if (adapter != nullptr && names_slave(*adapter, port, lag.primary.value))
    slave.binding.emplace(keys::kPrimary, true);
  slave.part_of = node.address(kinds::kBond, lag.bond.value);
  const bool infiniband = network.mode.value == Mode::infiniband;
  want(
      slave,
      "master",
      lag.bond.value,
      infiniband ? lag.range : network.mode.range,
      fmt::format(
          "{} of network {} makes port {} a slave",
          infiniband ? "`ipoib.bond`" : "mode lag",
          network.name,
          port.port));
}

bool expects_roce_lag(
    const NodeSpec& node, const NetworkSpec& network, const std::vector<PortRef>& slaves) {
  if (!wants_roce_lag(network) || slaves.size() != 2) return false;
  const AdapterSpec* adapter = node.find_adapter(slaves.front().adapter);
  return slaves.front().adapter == slaves.back().adapter && adapter != nullptr &&
         adapter->hardware != nullptr && adapter->hardware->roce_lag;
}

void expand_ports(NodeResources& node) {
  for (const auto& [name, ports] : node.networks()) {
    const NetworkSpec& network = node.scope().network(name);
    if (network.mode.value == Mode::infiniband || put_vswitch(node, network, ports)) continue;
    for (const PortRef& port : ports)
      put_interface(node, network, port, port == ports.front());
  }
}

void expand_bonds(NodeResources& node) {
  for (const auto& [name, ports] : node.networks()) {
    const NetworkSpec& network = node.scope().network(name);
    if (lag_of(network) == nullptr) continue;
    const std::vector<PortRef> slaves = ipoib_ports(network, ports);
    if (!slaves.empty()) put_bond(node, network, slaves);
  }
}

void expand_vlans(NodeResources& node) {
  for (const auto& [name, ports] : node.networks()) {
    const NetworkSpec& network = node.scope().network(name);
    if (network.mode.value == Mode::infiniband || network.vlans.empty()) continue;
    const std::vector<Parent> all = parents(node, network, ports);
    for (const VlanSpec& vlan : network.vlans) {
      for (const Parent& parent : all) {
        const std::string own = network.name + "." + vlan.name;
        put_vlan(
            node,
            network,
            vlan,
            parent,
            all.size() == 1 ? own : own + "." + parent.name,
            &parent == &all.front());
      }
    }
  }
}

}  // namespace fabric::expansion
