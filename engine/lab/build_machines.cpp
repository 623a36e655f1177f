// SPDX-License-Identifier: Apache-2.0
#include "engine/lab/build_machines.hpp"

#include <map>
#include <utility>

#include "engine/lab/platforms.hpp"

namespace fabric::lab {
namespace {

// The switch is configured as the document wants its port channels: one for each bond.
void add_port_channels(World& world, const FabricSpec& fabric) {
  for (const auto& [name, network] : fabric.networks) {
    const std::string channel = network.lag ? network.lag->port_channel.value : "";
    if (channel.empty() || channel == "none") continue;
    std::map<std::pair<std::string, NodeName>, std::vector<PortRef>> groups;
    const auto note = [&](const PortRef& host, const PortRef& far) {
      const NodeSpec* node = fabric.find_node(far.node.str());
      if (node == nullptr || !is_switch(node->platform.value)) return;
      groups[{host.node.str() + "/" + host.adapter, far.node}].push_back(far);
    };
    for (const CableSpec& cable : network.cables) {
      note(cable.a.value, cable.b.value);
      note(cable.b.value, cable.a.value);
    }
    const bool lacp = channel != "static" && network.lag->policy.value == "802.3ad";
    for (auto& [key, ports] : groups)
      world.add_port_channel(std::move(ports), lacp);
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

}  // namespace

std::unique_ptr<Machine> build_machine(
    const NodeSpec& node, const FabricSpec& fabric, const LabSpec& lab, std::uint64_t seed) {
  const Platform platform = node.platform.value;
  const auto given = lab.makers.find(platform);
  const auto built_in = built_in_makers().find(platform);
  const bool known = given != lab.makers.end() || built_in != built_in_makers().end();
  if (!known) return nullptr;
  const auto found = lab.hosts.find(node.name.str());
  LabHost host = found == lab.hosts.end() ? LabHost{} : found->second;
  host.infiniband = has_infiniband_cable(fabric, node.name);
  const MachineMaker& make = given != lab.makers.end() ? given->second : built_in->second;
  std::unique_ptr<Machine> machine = make(node, host, seed);
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
  if (lab.cables) {
    for (const LabCable& cable : *lab.cables)
      world.connect(cable.a, cable.b);
  } else {
    for (const auto& [name, network] : fabric.networks) {
      for (const CableSpec& cable : network.cables)
        world.connect(cable.a.value, cable.b.value);
    }
  }
  for (const PortRef& port : lab.unplugged)
    world.unplug(port);
  add_port_channels(world, fabric);
  for (const auto& [name, node] : fabric.nodes) {
    const Result<Guid> guid = Guid::parse(node.node_guid.value);
    if (guid && is_switch(node.platform.value)) world.name_switch(name, guid->bits());
  }
  for (const PortRef& port : lab.dirty)
    world.make_dirty(port);
  for (const PortRef& port : lab.saturated)
    world.count_damaged(port, 100'000);
  for (const auto& [port, plug] : lab.plugs)
    world.set_plug(port, plug);
}

}  // namespace fabric::lab
