// SPDX-License-Identifier: Apache-2.0
// A sweep of an InfiniBand subnet, port by port, as libibnetdisc makes it: switches answer for all
// their ports, a channel adapter for the port that it was reached by.
#include <algorithm>

#include "engine/lab/wire/world.hpp"
#include "engine/model/switch_port.hpp"

namespace fabric::lab {

class Sweep {
 public:
  explicit Sweep(const World& world) : world_{world} {}

  std::vector<SweptNode> from(const PortRef& start) {
    node_of(start);
    for (std::size_t i = 0; i < senders_.size(); ++i) {
      const PortRef sender = senders_[i];
      const std::optional<PortRef> there = world_.linked_peer(sender);
      if (!there) continue;
      const std::size_t here = node_of(sender);
      SweptPort port = port_of(sender);
      const SweptPort far = port_of(*there);
      port.peer_node = node_of(*there);
      port.peer_port = far.number;
      if (far.gbps != 0 && (port.gbps == 0 || far.gbps < port.gbps)) port.gbps = far.gbps;
      if (port.gbps == 0) port.gbps = kSwitchGbps;
      nodes_[here].ports.push_back(port);
    }
    for (SweptNode& node : nodes_) {
      std::sort(node.ports.begin(), node.ports.end(), [](const SweptPort& a, const SweptPort& b) {
        return a.number < b.number;
      });
    }
    return std::move(nodes_);
  }

 private:
  static constexpr std::uint32_t kSwitchGbps = 100;
  static constexpr std::uint32_t kSwitchPorts = 36;
  static constexpr std::uint32_t kQuantum2Ports = 65;
  static constexpr std::uint32_t kSwitchDevice = 0xcb20;  // Switch-IB
  // A GUID of a made-up vendor, with a number for each switch.
  static constexpr std::uint64_t kSwitchGuid = 0x00aa00a000000000;
  // Behind those of hosts.
  static constexpr std::uint32_t kSwitchLids = 0x8000;

  // A port that is called by cage and half is one of a Quantum-2 (E-ib-switch-ports). Of a port
  // whose number follows from nothing, the last number has to do.
  static std::uint32_t number_of(const PortRef& port) {
    const auto written = fabric::SwitchPort::parse(port.port);
    if (!written) return 1;
    for (const SwitchPorts kind : {SwitchPorts::one_a_cage, SwitchPorts::two_a_cage}) {
      if (const auto number = subnet_port_number(*written, kind, 0))
        return static_cast<std::uint32_t>(*number);
    }
    return static_cast<std::uint32_t>(written->numbers.back());
  }
  static bool is_in_cage(const PortRef& port) {
    const auto written = fabric::SwitchPort::parse(port.port);
    return written && !subnet_port_number(*written, SwitchPorts::one_a_cage, 0) &&
           subnet_port_number(*written, SwitchPorts::two_a_cage, 0);
  }

  // Index of the node; a new one is searched from.
  std::size_t node_of(const PortRef& port) {
    const std::optional<World::Place> place = world_.place_of(port);
    const bool one_function = place && card_of(*place).mlx4();
    const PortRef key{port.node, port.adapter, place && !one_function ? port.port : ""};
    const auto [found, is_new] = indices_.emplace(key, nodes_.size());
    if (place && seen_.insert(port).second) senders_.push_back(port);
    if (!is_new) return found->second;
    nodes_.push_back(place ? adapter_of(*place) : switch_of(port.node));
    return found->second;
  }

  static const Card& card_of(const World::Place& place) {
    return place.machine->cards()[place.card];
  }

  SweptNode adapter_of(const World::Place& place) const {
    const Card& card = card_of(place);
    SweptNode node;
    node.description = place.machine->node_description(place.card, place.port);
    node.guid = card.base_guid + (card.mlx4() ? 0 : place.port - 1);
    node.system_image = card.base_guid;
    node.device_id = card.device_id();
    node.port_count = card.mlx4() ? static_cast<std::uint32_t>(card.ports.size()) : 1;
    return node;
  }

  SweptNode switch_of(const NodeName& name) {
    SweptNode node;
    node.is_switch = true;
    node.description = name.str();
    if (const auto names = world_.names_of_switch(name)) {
      node.guid = node.system_image = names->guid;
      node.lid = names->lid;
      node.device_id = kSwitchDevice;
      node.port_count = kSwitchPorts;
      return with_ports(node, name);
    }
    const auto known = world_.switch_guids_.find(name);
    node.guid = node.system_image =
        known == world_.switch_guids_.end() ? kSwitchGuid + (switches_ << 8U) : known->second;
    node.device_id = kSwitchDevice;
    node.lid = kSwitchLids + static_cast<std::uint32_t>(switches_++);
    node.port_count = kSwitchPorts;
    return with_ports(node, name);
  }

  SweptNode with_ports(SweptNode node, const NodeName& name) {
    for (const auto& [port, far] : world_.cables_) {
      if (port.node != name) continue;
      senders_.push_back(port);
      node.port_count = std::max(node.port_count, number_of(port));
      if (is_in_cage(port)) node.port_count = std::max(node.port_count, kQuantum2Ports);
    }
    return node;
  }

  SweptPort port_of(const PortRef& port) {
    SweptPort swept;
    const std::optional<World::Place> place = world_.place_of(port);
    if (!place) {
      const SweptNode& node = nodes_[node_of(port)];
      swept.number = number_of(port);
      swept.guid = node.guid;
      swept.lid = node.lid;
      return swept;
    }
    const Card& card = card_of(*place);
    swept.number = card.mlx4() ? place->port : 1;
    swept.guid = card.ports[place->port - 1].guid;
    swept.gbps = port_gbps(card, place->port);
    const std::optional<SubnetView> subnet =
        world_.subnet(*place->machine, place->card, place->port);
    swept.lid = subnet ? subnet->lid : 0;
    return swept;
  }

  const World& world_;
  std::vector<SweptNode> nodes_;
  std::map<PortRef, std::size_t> indices_;
  std::vector<PortRef> senders_;
  std::set<PortRef> seen_;  // of hosts
  std::uint64_t switches_ = 0;
};

std::vector<SweptNode> World::sweep(
    const Machine& machine, std::size_t card, std::uint32_t port) const {
  const PortRef name = name_of(machine, card, port);
  const std::optional<Place> here = place_of(name);
  if (!here || !is_infiniband(*here) || !carrier(machine, card, port)) return {};
  return Sweep{*this}.from(name);
}

}  // namespace fabric::lab
