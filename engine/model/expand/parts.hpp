// SPDX-License-Identifier: Apache-2.0
// Private to expansion: data that is computed once for the document or shared by its subjects, and
// the one function per subject that expand.cpp calls.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "engine/base/diagnostic.hpp"
#include "engine/model/resource.hpp"
#include "engine/model/spec.hpp"
#include "engine/model/topology/broadcast_domains.hpp"
#include "engine/model/topology/infiniband_subnets.hpp"
#include "engine/model/topology/transit.hpp"

namespace fabric::expansion {

// A member port with the network that it is in.
struct Member {
  const NetworkSpec* network = nullptr;
  SourceRange range;
};

// A subnet manager on an expanded host.
struct Manager {
  const SubnetManagerPlacement* placement = nullptr;
  PortRef port;
  std::size_t subnet = 0;
};

// The parts of one network of mode infiniband.
struct InfinibandNetwork {
  InfinibandSubnets subnets;
  std::vector<PortRef> members;   // switch ports included
  std::vector<Manager> managers;  // empty if external; in order of the document
  // The partitions of all managers, and the members that these name, switches without a port.
  List partitions{};
  std::set<PortRef> named{};
  // A card or cable that needs a manager with NDR support: {card, declared}; empty: there is none.
  Map ndr{};
};

class Scope {
 public:
  // REQUIRES: `spec` outlives this and has no errors.
  explicit Scope(const FabricSpec& spec);

  const FabricSpec& spec() const { return *spec_; }
  // Null if the port is in no network.
  const Member* member(const PortRef& port) const;
  // The member ports of a node by name of network, each list in order.
  std::map<std::string, std::vector<PortRef>> networks_of(const NodeName& node) const;
  const NetworkSpec& network(const std::string& name) const;
  // REQUIRES: mode infiniband.
  const InfinibandNetwork& infiniband(const std::string& network) const;
  // REQUIRES: has_transit().
  const TransitGraph& transit(const std::string& network) const;
  // The port's entry of broadcast_domains(); null if it has none.
  const NodeName* domain(const PortRef& port) const;
  // The address of the routing switch at the other end of the port's cable with a subnet of its
  // own; null if there is none.
  const IpAddress* router(const PortRef& port) const;
  // The GUIDs of switches that the document gives: trees have these as roots.
  const Map& switch_guids() const { return switch_guids_; }
  // The managers that IPoIB on `port` waits for.
  std::vector<const Manager*> managers_before(
      const NetworkSpec& network, const PortRef& port) const;

 private:
  void rank_managers();
  void collect_router(const NetworkSpec& network, const CableSpec& cable);

  const FabricSpec* spec_;
  std::map<PortRef, Member> members_;
  std::map<PortRef, NodeName> domains_;
  std::map<PortRef, const IpAddress*> routers_;
  std::map<std::string, InfinibandNetwork, std::less<>> infiniband_;
  std::map<std::string, TransitGraph, std::less<>> transit_;
  Map switch_guids_;
  // The start order of nodes with a manager: 0 is first.
  std::map<NodeName, std::size_t> rank_;
};

// The resources of one node in the making.
class NodeResources {
 public:
  NodeResources(const Scope& scope, const NodeSpec& node, std::vector<Resource>& resources);

  const Scope& scope() const { return scope_; }
  const NodeSpec& node() const { return node_; }
  const PlatformTraits& traits() const { return fabric::traits(node_.platform.value); }
  // The node's ports by network; without networks that are made elsewhere.
  const std::map<std::string, std::vector<PortRef>>& networks() const { return networks_; }

  ResourceAddress address(std::string_view kind, std::string name) const;
  bool has(const ResourceAddress& address) const { return made_.contains(address); }
  Resource start(std::string_view kind, std::string name, SourceRange origin) const;
  void put(Resource resource);

  // Makes all resources that are put from now on come after these.
  void set_foundation(std::vector<ResourceAddress> foundation);
  void wait_for_foundation(Resource& resource) const;
  // Makes `resource` come after the card, its firmware and settings, and the name of the port.
  void wait_for_port(Resource& resource, const PortRef& port) const;

  Map adapter_binding(const AdapterSpec& adapter) const;
  // Includes the interface's name if the document gives one.
  Map port_binding(const PortRef& port) const;
  void bind_network(Resource& resource, const NetworkSpec& network) const;

 private:
  const Scope& scope_;
  const NodeSpec& node_;
  std::vector<Resource>& resources_;
  std::map<std::string, std::vector<PortRef>> networks_;
  std::set<ResourceAddress> made_;
  std::vector<ResourceAddress> foundation_;
};

// The value of keys::kAdopt for a node with `adopt`.
Value adopt_binding(const NodeSpec& node);
std::string port_name(const PortRef& port);  // "cx5.1"
// The place of the key of the network, or of the network if the key is not given.
SourceRange key_range(const NetworkSpec& network, std::string_view key);
void want(
    Resource& resource,
    std::string_view attribute,
    Value value,
    SourceRange source,
    std::string reason);
// `text` as a number if it is one.
Value number_or_text(const std::string& text);

// Addresses, gateways and routes of `port` by both families; `ipv6` may be null. Only the `first`
// port of a node in a network gets gateways and routes: one default route is enough.
struct IpWanted {
  const NetworkSpec& network;
  const PortRef& port;
  const IpSpec& ipv4;
  const IpSpec* ipv6 = nullptr;
  bool first = true;
};
// Adds the partitions for a manager of this subnet, with the ports whose GUIDs it has to know for
// them. Without a subnet the manager is at no cable.
void want_partitions(
    Resource& resource,
    const FabricSpec& spec,
    const NetworkSpec& network,
    const InfinibandNetwork& infiniband,
    std::optional<std::size_t> subnet);
// Computes the partitions that all managers of the network share.
void collect_partitions(
    const FabricSpec& spec, const NetworkSpec& network, InfinibandNetwork& infiniband);
void want_ip(Resource& resource, const IpWanted& wanted);
void want_mtu(Resource& resource, const NetworkSpec& network);
void want_ipoib_mtu(Resource& resource, const NetworkSpec& network);
// networkd and netplan make VLANs and children only on an interface that a file of theirs names.
void want_file(Resource& parent, const NetworkSpec& network);
// REQUIRES: lag_of(network).
void want_master(
    const NodeResources& node, Resource& slave, const NetworkSpec& network, const PortRef& port);
// Adds the node's loopback, and the routes over `port` to those of others. REQUIRES: has_transit(),
// and want_ip() has run.
void want_transit(
    const NodeResources& node, Resource& resource, const NetworkSpec& network, const PortRef& port);

// One function per subject, in an order in which each may look at earlier resources.
void expand_software(NodeResources& node);
void expand_adapters(NodeResources& node);
void expand_ports(NodeResources& node);
void expand_bonds(NodeResources& node);
void expand_ipoib(NodeResources& node);
void expand_vlans(NodeResources& node);
void expand_managers(NodeResources& node);
void expand_sysctls(NodeResources& node);
void expand_transit(NodeResources& node);
// Lossless RoCE of a host.
void expand_qos(NodeResources& node);
// Lossless RoCE of a switch: one resource for all its ports.
void expand_switch_qos(NodeResources& node);
// True if RoCE LAG is wanted and possible: `slaves` are the two ports of one card that can do it.
bool expects_roce_lag(
    const NodeSpec& node, const NetworkSpec& network, const std::vector<PortRef>& slaves);
// Compares ports by number, not by text.
bool is_lower(const PortRef& a, const PortRef& b);
// For a switch that is reached: its ports, bonds and VLANs as the networks at its cables need them.
void expand_switch(NodeResources& node);
// The configuration resource of a switch that saves only on a command.
void expand_configuration(NodeResources& node);
void expand_hooks(NodeResources& node);
// Warns of settings of virtual switches that hosts with ESX 3.5 or 4 leave to a person.
void tell_of_virtual_switches(const FabricSpec& spec, Diagnostics& diagnostics);
// The parameter of ib_ipoib that makes the uplinks; nullopt if no network has them.
struct Uplinks {
  std::string parameter, value;
  SourceRange place;
};
std::optional<Uplinks> uplinks_of(const NodeResources& node);
// Makes a host's resources at a port come after those of the switch at the other end of its cable.
// REQUIRES: `resources` in order of address.
void wait_for_switches(const Scope& scope, std::vector<Resource>& resources);
// REQUIRES: `resources` in order of address.
bool has_resource(const std::vector<Resource>& resources, const ResourceAddress& address);
// REQUIRES: `resources` in order of address.
std::vector<Resource> expand_links(const Scope& scope, const std::vector<Resource>& resources);
std::vector<Resource> expand_carriers(const Scope& scope, const std::vector<Resource>& resources);

}  // namespace fabric::expansion
