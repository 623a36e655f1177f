// SPDX-License-Identifier: Apache-2.0
#include "engine/lab/build_machines.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace fabric::lab {
namespace {

// What the switch has where the document leaves it open: what the bond needs.
std::string channel_of(const NetworkSpec& network) {
  if (!network.lag) return "none";
  const std::string& channel = network.lag->port_channel.value;
  const std::string& policy = network.lag->policy.value;
  if (!channel.empty()) return channel;
  if (policy == "802.3ad" || policy == "4") return "lacp";
  const bool is_static =
      policy == "balance-xor" || policy == "2" || policy == "balance-rr" || policy == "0";
  return is_static ? "static" : "none";
}

// Two that are a pair answer as one.
NodeName pair_of(const NodeSpec& node) {
  const Result<NodeName> peer = NodeName::parse(node.mlag ? node.mlag->peer.value : "");
  return peer ? std::min(node.name, *peer) : node.name;
}

// The switch is configured as the document wants its port channels: one for each bond.
void add_port_channels(World& world, const FabricSpec& fabric, const LabSpec& lab) {
  for (const auto& [name, network] : fabric.networks) {
    const std::string channel = channel_of(network);
    if (channel == "none") continue;
    std::map<std::pair<std::string, NodeName>, std::vector<PortRef>> groups;
    const auto note = [&](const PortRef& host, const PortRef& far) {
      const NodeSpec* node = fabric.find_node(far.node.str());
      if (node == nullptr || !is_switch(node->platform.value)) return;
      const auto said = lab.hosts.find(far.node.str());
      if (said != lab.hosts.end() && said->second.lacp == false) return;
      groups[{host.node.str() + "/" + host.adapter, pair_of(*node)}].push_back(far);
    };
    for (const CableSpec& cable : network.cables) {
      note(cable.a.value, cable.b.value);
      note(cable.b.value, cable.a.value);
    }
    const bool lacp = channel != "static" && network.lag->policy.value == "802.3ad";
    for (auto& [key, ports] : groups)
      world.add_port_channel(std::move(ports), lacp, key.second.str());
  }
}

// Of Ethernet: an unmanaged switch is still asked by its neighbours for its name.
void tell_lldp(World& world, const FabricSpec& fabric, const LabSpec& lab) {
  for (const auto& [name, node] : fabric.nodes) {
    if (traits(node.platform.value).is_managed) continue;
    const auto said = lab.hosts.find(name.str());
    if (said != lab.hosts.end() && said->second.lldpd == false) continue;
    world.tell_lldp(name, {{}, name.str(), {}, {}, {}});
  }
}

bool has_infiniband_cable(const FabricSpec& fabric, const NodeName& node) {
  for (const auto& [name, network] : fabric.networks) {
    if (network.mode.value != Mode::infiniband) continue;
    for (const CableSpec& cable : network.cables)
      if (cable.a.value.node == node || cable.b.value.node == node) return true;
  }
  return false;
}

std::vector<LabCable> cables_of(const FabricSpec& fabric, const LabSpec& lab) {
  if (lab.cables) return *lab.cables;
  std::vector<LabCable> cables;
  for (const auto& [name, network] : fabric.networks) {
    for (const CableSpec& cable : network.cables)
      cables.push_back({cable.a.value, cable.b.value});
  }
  return cables;
}

void set_up_switches(World& world, const FabricSpec& fabric, const LabSpec& lab) {
  add_port_channels(world, fabric, lab);
  tell_lldp(world, fabric, lab);
  for (const auto& [name, node] : fabric.nodes) {
    const Result<Guid> guid = Guid::parse(node.node_guid.value);
    if (guid && is_switch(node.platform.value)) world.name_switch(name, guid->bits());
  }
}

}  // namespace

std::unique_ptr<Machine> build_machine(
    const NodeSpec& node, const FabricSpec& fabric, const LabSpec& lab, std::uint64_t seed) {
  const Platform platform = node.platform.value;
  const auto maker = lab.makers.find(platform);
  if (maker == lab.makers.end()) return nullptr;
  const auto found = lab.hosts.find(node.name.str());
  LabHost host = found == lab.hosts.end() ? LabHost{} : found->second;
  host.infiniband = has_infiniband_cable(fabric, node.name);
  std::unique_ptr<Machine> machine = maker->second(node, host, seed);
  machine->epoch = kEpochMilliseconds;
  machine->clock_rate = host.clocks.rate;
  return machine;
}

void tell_cards_apart(Machine& machine, std::set<std::uint64_t>& taken) {
  constexpr std::uint64_t kGuidsOfCard = 0x10;
  for (Card& card : machine.cards()) {
    std::uint64_t guid = card.base_guid;
    while (!taken.insert(guid).second)
      guid += kGuidsOfCard;
    if (guid != card.base_guid) set_base_guid(card, guid);
  }
}

void plug_cables(World& world, const FabricSpec& fabric, const LabSpec& lab) {
  for (const auto& [a, b] : cables_of(fabric, lab))
    world.connect(a, b);
  for (const PortRef& port : lab.unplugged)
    world.unplug(port);
  set_up_switches(world, fabric, lab);
  for (const PortRef& port : lab.dirty)
    world.make_dirty(port);
  for (const PortRef& port : lab.saturated)
    world.count_damaged(port, 100'000);
  for (const auto& [port, plug] : lab.plugs)
    world.set_plug(port, plug);
}

void plug_cables_of(
    const std::set<NodeName>& nodes, World& world, const FabricSpec& fabric, const LabSpec& lab) {
  for (const auto& [a, b] : cables_of(fabric, lab)) {
    if (nodes.contains(a.node) || nodes.contains(b.node)) world.connect(a, b);
  }
  // Of a port that has a channel already the first one stands.
  set_up_switches(world, fabric, lab);
}

}  // namespace fabric::lab
