// SPDX-License-Identifier: Apache-2.0
// Subnet managers and the partitions that they hand out.
#include <algorithm>
#include <set>
#include <string>

#include <fmt/format.h>

#include "engine/model/expand/parts.hpp"
#include "engine/model/ndr.hpp"
#include "engine/model/opensm_options.hpp"
#include "engine/model/partition_ports.hpp"
#include "engine/model/resource_keys.hpp"
#include "engine/value/lists.hpp"

namespace fabric::expansion {

namespace {

Value member_value(std::string who, bool full) {
  return Map{{"who", std::move(who)}, {"full", full}};
}

// Nodes and short endpoints become ports; ALL and SELF stay words, which the manager knows. Of two
// members that mean the same port OpenSM takes the later one, and a mapping has no order: the more
// specific member comes later, or `ALL: limited` after `server: full` would leave no full member to
// talk to.
List member_values(InfinibandNetwork& infiniband, const PartitionSpec& partition) {
  List list;
  std::vector<PartitionMember> members = members_for_manager(partition);
  std::ranges::stable_sort(members, [](const PartitionMember& a, const PartitionMember& b) {
    return specificity(a) < specificity(b);
  });
  for (const PartitionMember& member : members) {
    if (member.who == "ALL" || member.who == "SELF") {
      list.push_back(member_value(member.who, member.full.value));
      continue;
    }
    bool switch_listed = false;
    for (const PortRef& port : infiniband.members) {
      if (!means_port(member.who, port)) continue;
      infiniband.named.insert(port.adapter.empty() ? PortRef{port.node, "", ""} : port);
      // A switch has one port that can be a member, its port 0.
      if (!port.adapter.empty() || !switch_listed)
        list.push_back(
            member_value(port.adapter.empty() ? port.node.str() : port.str(), member.full.value));
      switch_listed = switch_listed || port.adapter.empty();
    }
  }
  return list;
}

Value partition_value(
    std::string name, std::int64_t pkey, bool ipoib, std::uint32_t mtu, List members) {
  Map value{
      {"name", std::move(name)}, {"pkey", pkey}, {"ipoib", ipoib}, {"members", std::move(members)}};
  if (mtu != 0) value.emplace("mtu", mtu);
  return value;
}

// A file without a default partition makes every port a limited member of it, so that no port
// reaches another (E-opensm-partitions): the partition is always there.
List partition_list(const NetworkSpec& network, InfinibandNetwork& infiniband) {
  List list;
  const bool has_default = std::ranges::any_of(network.partitions, is_default);
  if (!has_default) {
    List everybody;
    everybody.push_back(member_value("ALL", true));
    list.push_back(partition_value(
        "Default", kDefaultPartition, true, network.mtu.value, std::move(everybody)));
  }
  for (const PartitionSpec& partition : network.partitions) {
    const std::uint32_t mtu = partition.mtu.value != 0 ? partition.mtu.value : network.mtu.value;
    list.push_back(partition_value(
        partition.name,
        partition.pkey.value & kDefaultPartition,
        partition.ipoib.value,
        mtu,
        member_values(infiniband, partition)));
  }
  return list;
}

// Ports of hosts, and switches by their names.
List manager_ports(
    const FabricSpec& spec, const NetworkSpec& network, const InfinibandNetwork& infiniband) {
  std::set<std::string> ports;
  for (const SubnetManagerPlacement& placement : network.subnet_managers) {
    const NodeSpec* node = spec.find_node(placement.node.value);
    if (node != nullptr && is_switch(node->platform.value)) ports.insert(placement.node.value);
  }
  for (const Manager& manager : infiniband.managers)
    ports.insert(manager.port.str());
  return {ports.begin(), ports.end()};
}

// The ports whose GUIDs the manager's node has to know, switches without a port: members by name
// for the partitions, other managers, and all ports of its subnet, so that a master on one of them
// is distinguished from a foreign one.
std::set<PortRef> peers_of(const InfinibandNetwork& infiniband, std::optional<std::size_t> subnet) {
  std::set<PortRef> ports = infiniband.named;
  for (const Manager& manager : infiniband.managers)
    ports.insert(manager.port);
  if (!subnet) return ports;
  const std::vector<PortRef>& beside = infiniband.subnets.subnets[*subnet].host_ports;
  ports.insert(beside.begin(), beside.end());
  return ports;
}

std::string peer_name(const PortRef& peer) {
  return peer.adapter.empty() ? peer.node.str() : peer.str();
}

// The GUIDs of hosts that are not read. Ports of a ConnectX up to 3 count on from the node GUID (as
// ibstat shows of every such card); those of later cards don't. Port 0 of a switch has its node
// GUID.
Map declared_guids(const FabricSpec& spec, const std::set<PortRef>& peers) {
  Map guids;
  for (const PortRef& port : peers) {
    const NodeSpec* node = spec.find_node(port.node.str());
    if (port.adapter.empty() && node != nullptr)
      guids.emplace(port.node.str(), node->node_guid.value);
    const AdapterSpec* adapter = node == nullptr ? nullptr : node->find_adapter(port.adapter);
    if (adapter == nullptr) continue;
    if (const auto own = adapter->port_guids.find(port.number()); own != adapter->port_guids.end())
      guids.emplace(port.str(), own->second.value);
    if (adapter->hardware == nullptr || adapter->hardware->driver != "mlx4_core") continue;
    const Result<Guid> guid = Guid::parse(adapter->selector.node_guid.value);
    if (guid) guids.emplace(port.str(), Guid{guid->bits() + port.number()}.str());
  }
  return guids;
}

void want_manager_options(
    Resource& resource, const SubnetManagerSpec& options, const InfinibandNetwork& infiniband) {
  const std::string reason = "the document sets this option of the manager";
  for (const auto& [attribute, text] :
       {std::pair{"routing_engine", &options.routing_engine},
        std::pair{"subnet_prefix", &options.subnet_prefix}}) {
    if (!text->value.empty()) want(resource, attribute, text->value, text->range, reason);
  }
  if (is_known(options.virtualization.range)) {
    want(
        resource,
        "virtualization",
        options.virtualization.value,
        options.virtualization.range,
        reason);
  }
  if (!options.options.empty()) {
    Map values;
    for (const auto& [name, text] : options.options) {
      values.emplace(name, opensm_value(text.value));
      resource.features.push_back(
          {std::string{kManagerOption} + name, fmt::format("option `{}`", name), text.range});
    }
    const SourceRange first = options.options.begin()->second.range;
    want(resource, std::string{kManagerOptions}, std::move(values), first, reason);
  }
  if (!options.roots.empty()) {
    want(resource, "roots", to_list(options.roots), options.roots.front().range, reason);
  }
  if (options.io.empty()) return;
  List ports;
  for (const PortRef& port : infiniband.members) {
    const bool is_io = std::ranges::any_of(options.io, [&](const Sourced<std::string>& name) {
      return port.node.str() == name.value;
    });
    if (is_io) ports.emplace_back(port.str());
  }
  want(resource, "io", std::move(ports), options.io.front().range, reason);
}

// Adds the package that runs the manager; a node that has it in another way needs none.
void bring_manager(
    NodeResources& node, const SubnetManagerPlacement& placement, Resource& manager) {
  Resource package = node.start(kinds::kPackage, "opensm", placement.range);
  manager.after.push_back(package.address);
  if (node.has(package.address)) return;
  package.binding.emplace(keys::kProgram, "opensm");
  want(package, "installed", true, placement.range, "the document places a subnet manager here");
  package.features.push_back({"", "`subnet_managers`", placement.range});
  node.put(std::move(package));
}

void put_manager(
    NodeResources& node,
    const NetworkSpec& network,
    const InfinibandNetwork& infiniband,
    const Manager& manager) {
  const SubnetManagerPlacement& placement = *manager.placement;
  Resource resource = node.start(
      kinds::kSubnetManager, network.name + "." + port_name(manager.port), placement.range);
  if (node.has(resource.address)) return;
  resource.binding.merge(node.port_binding(manager.port));
  resource.binding.emplace(keys::kNetwork, network.name);
  resource.binding.emplace(keys::kNodeGuids, node.scope().switch_guids());
  if (!infiniband.ndr.empty()) resource.binding.emplace(keys::kNdr, infiniband.ndr);
  resource.binding.emplace(keys::kStack, node.node().software->stack.value);
  resource.features.push_back({"", "`subnet_managers`", placement.range});
  if (node.node().adopt.value) {
    resource.binding.emplace(keys::kAdopt, adopt_binding(node.node()));
    resource.features.push_back({"adopt", "`adopt`", node.node().adopt.range});
  }
  node.wait_for_port(resource, manager.port);
  if (node.node().state.value == NodeState::managed) bring_manager(node, placement, resource);
  for (const Manager* first : node.scope().managers_before(network, manager.port)) {
    // Of two managers on one node, that of the lower port is first.
    if (first->port.node == manager.port.node && first->port >= manager.port) continue;
    resource.after.push_back(
        {first->port.node, "subnet_manager", network.name + "." + port_name(first->port)});
  }
  want(
      resource,
      "manages",
      true,
      placement.range,
      fmt::format("the document places a manager of network {} on this port", network.name));
  want(
      resource,
      "priority",
      placement.priority.value,
      placement.priority.range,
      fmt::format(
          "this manager of network {} has priority {}", network.name, placement.priority.value));
  want_partitions(resource, node.scope().spec(), network, infiniband, manager.subnet);
  if (network.subnet_manager) want_manager_options(resource, *network.subnet_manager, infiniband);
  node.put(std::move(resource));
}

}  // namespace

void collect_partitions(
    const FabricSpec& spec, const NetworkSpec& network, InfinibandNetwork& infiniband) {
  infiniband.partitions = partition_list(network, infiniband);
  if (const auto need = ndr_need(spec, network))
    infiniband.ndr = Map{{"card", need->card}, {"declared", need->declared}};
}

void want_partitions(
    Resource& resource,
    const FabricSpec& spec,
    const NetworkSpec& network,
    const InfinibandNetwork& infiniband,
    std::optional<std::size_t> subnet) {
  const SourceRange place =
      !network.partitions.empty() ? key_range(network, "partitions") : network.mtu.range;
  const std::set<PortRef> peers = peers_of(infiniband, subnet);
  if (Map declared = declared_guids(spec, peers); !declared.empty())
    resource.binding.emplace(keys::kDeclaredGuids, std::move(declared));
  std::set<std::string> names;
  for (const PortRef& peer : peers)
    names.insert(peer_name(peer));
  resource.binding.emplace(keys::kPeers, List{names.begin(), names.end()});
  resource.binding.emplace(keys::kManagers, manager_ports(spec, network, infiniband));
  want(
      resource,
      "partitions",
      infiniband.partitions,
      is_known(place) ? place : resource.origin,
      fmt::format("all managers of network {} hand out the same partitions", network.name));
}

void expand_managers(NodeResources& node) {
  for (const auto& [name, members] : node.networks()) {
    const NetworkSpec& network = node.scope().network(name);
    if (network.mode.value != Mode::infiniband) continue;
    const InfinibandNetwork& infiniband = node.scope().infiniband(name);
    for (const Manager& manager : infiniband.managers) {
      if (manager.port.node == node.node().name) put_manager(node, network, infiniband, manager);
    }
  }
}

}  // namespace fabric::expansion
