// SPDX-License-Identifier: Apache-2.0
#include "engine/lab/wire/frame_walk.hpp"

#include <algorithm>

namespace fabric::lab {
namespace {

// Firmware 16.22.1002 with chaining: longer IP packets are dropped.
constexpr std::string_view kShortFirmware = "16.22.1002";
constexpr std::uint32_t kShortFirmwareBytes = 8150;

}  // namespace

bool FrameWalk::chains(const Machine& machine, const Card& card) const {
  return card.chaining && machine.powered();
}

bool FrameWalk::too_long_for(const Machine& machine, const Card& card) const {
  return chains(machine, card) && card.firmware == kShortFirmware &&
         frame_.bytes > kShortFirmwareBytes;
}

std::vector<Arrival> FrameWalk::run(const Machine& sender, std::uint32_t interface) {
  const Egress egress = sender.egress(world_, interface, frame_);
  frame_.vlan = egress.vlan;
  for (const Egress::Port& port : egress.ports) {
    if (too_long_for(sender, sender.cards()[port.card])) continue;
    frame_.infiniband = port.infiniband;
    const PortRef from = World::name_of(sender, port.card, port.port);
    transmit(from, Crossing{from});
  }
  for (std::size_t i = 0; i < left_.size(); ++i) {
    const Crossing crossing = left_[i];
    arrive(crossing);
  }
  return arrivals_;
}

void FrameWalk::transmit(const PortRef& from, const Crossing& so_far) {
  const std::optional<PortRef> to = world_.peer(from);
  const bool linked =
      to && world_.powered(from) && world_.powered(*to) && world_.same_link_type(from, *to);
  if (!linked || !crossed_.insert(from).second) return;
  left_.push_back(Crossing{*to, so_far.hops + 1, so_far.damaged});
}

void FrameWalk::arrive(const Crossing& arrived) {
  Crossing crossing = arrived;
  const std::optional<World::Place> place = world_.place_of(crossing.to);
  if (!place) return arrive_at_switch(crossing);
  Machine& machine = *place->machine;
  Card& card = machine.cards()[place->card];
  CardPort& in = card.ports[place->port - 1];
  if (in.dirty) {
    ++in.damaged_frames;
    crossing.damaged = true;
  }
  if (too_long_for(machine, card)) return;
  if (!chains(machine, card)) return deliver(machine, place->card, place->port, crossing);
  // Frames with an own source address are dropped, so that none goes round for ever.
  const bool own = std::any_of(card.ports.begin(), card.ports.end(), [&](const CardPort& port) {
    return port.mac == frame_.source;
  });
  if (own) return;
  deliver(machine, place->card, place->port, crossing);
  const auto is_for = [&](std::uint32_t port) {
    return card.ports[port - 1].mac == frame_.destination;
  };
  const std::uint32_t other = place->port == 1 ? 2 : 1;
  if (is_for(place->port)) return;
  deliver(machine, place->card, other, crossing);
  if (is_for(other)) return;
  PortRef out = crossing.to;
  out.port = std::to_string(other);
  transmit(out, crossing);
}

// By what the switch is told of the port, in either direction.
bool FrameWalk::passes(const PortRef& port) const {
  const std::optional<SwitchPort> own = world_.switch_port(port);
  if (!own) return true;
  const bool carries = frame_.vlan == 0 || !own->vlans || own->vlans->contains(frame_.vlan);
  return own->forwards && frame_.bytes <= own->mtu && carries;
}

// A switch floods: learning would change nothing that can be seen here. Of a port channel one port
// sends, and none of it what another of it got. An InfiniBand switch passes each packet on once:
// multicast goes along a tree that the subnet manager has made.
void FrameWalk::arrive_at_switch(const Crossing& arrived) {
  Crossing crossing = arrived;
  if (world_.is_host(crossing.to.node)) return;  // a card that is not there
  if (const auto dirty = world_.damaged_at_switches_.find(crossing.to);
      dirty != world_.damaged_at_switches_.end()) {
    ++dirty->second;
    crossing.damaged = true;
  }
  if (!passes(crossing.to)) return;
  if (frame_.infiniband && !switches_.insert(crossing.to.node).second) return;
  const std::size_t from = world_.channel_of(crossing.to);
  std::set<std::size_t> sent;
  for (auto cable = world_.cables_.lower_bound({crossing.to.node, "", ""});
       cable != world_.cables_.end() && cable->first.node == crossing.to.node;
       ++cable) {
    const auto& [port, peer] = *cable;
    if (port == crossing.to || !passes(port)) continue;
    const std::size_t channel = world_.channel_of(port);
    const bool same = channel != World::kNoChannel && channel == from;
    if (same || (channel != World::kNoChannel && !world_.powered(peer))) continue;
    if (channel == World::kNoChannel || sent.insert(channel).second) transmit(port, crossing);
  }
}

void FrameWalk::deliver(
    const Machine& machine, std::size_t card, std::uint32_t port, const Crossing& crossing) {
  if (!machine.powered()) return;
  const std::optional<Ingress> taker = machine.ingress(world_, card, port, frame_);
  if (!taker) return;
  arrivals_.push_back(
      Arrival{&machine, taker->interface, taker->mac, crossing.hops, crossing.damaged});
}

}  // namespace fabric::lab
