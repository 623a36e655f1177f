// SPDX-License-Identifier: Apache-2.0
#include "engine/lab/wire/world.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "engine/base/text.hpp"

namespace fabric::lab {

namespace {

std::string address_by_name(std::string_view name) {
  std::uint64_t hash = 7;
  for (const char c : name)
    hash = hash * 31 + static_cast<unsigned char>(c);
  return mac_text((std::uint64_t{0xe41d2d} << 24U) | (hash & 0xFFFFFFU));
}

}  // namespace

void World::add_port_channel(std::vector<PortRef> ports, bool lacp, std::string system) {
  channels_.push_back(PortChannel{std::move(ports), lacp, std::move(system)});
}

std::size_t World::channel_of(const PortRef& port) const {
  if (const std::optional<SwitchPort> own = switch_port(port))
    return own->channel ? kOwnChannels + *own->channel : kNoChannel;
  const auto found = std::ranges::find_if(channels_, [&](const auto& channel) {
    return std::find(channel.ports.begin(), channel.ports.end(), port) != channel.ports.end();
  });
  return found == channels_.end() ? kNoChannel
                                  : static_cast<std::size_t>(found - channels_.begin());
}

std::optional<LacpPartner> World::lacp_partner(
    const Machine& machine, std::size_t card, std::uint32_t port) const {
  return lacp_at(name_of(machine, card, port));
}

// A switch has one address for all its channels and a key for each.
std::optional<LacpPartner> World::lacp_at(const PortRef& port) const {
  if (!has_link(port)) return std::nullopt;
  const PortRef there = *peer(port);
  if (const std::optional<Place> place = place_of(there))
    return place->machine->lacp_offer(place->card, place->port);
  if (const std::optional<SwitchPort> offered = switch_port(there)) return offered->lacp;
  const std::size_t channel = channel_of(there);
  if (channel == kNoChannel || !channels_[channel].lacp) return std::nullopt;
  const auto& ports = channels_[channel].ports;
  const auto number = std::find(ports.begin(), ports.end(), there) - ports.begin() + 1;
  return LacpPartner{
      address_by_name(channels_[channel].system),
      static_cast<std::uint32_t>(channel + 1),
      static_cast<std::uint32_t>(number),
      32768,
      32768,
      false};
}

void World::unplug(const PortRef& port, Ends ends) {
  const auto found = cables_.find(port);
  if (found == cables_.end()) return;
  const PortRef other = found->second;
  walks_.clear();
  cables_.erase(found);
  cables_.erase(other);
  if (Plug* plug = plug_at(port)) *plug = {};
  if (ends == Ends::one) return;
  if (Plug* plug = plug_at(other)) *plug = {};
}

Plug* World::plug_at(const PortRef& port) const {
  const std::optional<Place> place = place_of(port);
  return place ? &place->machine->cards()[place->card].ports[place->port - 1].plug : nullptr;
}

void World::set_plug(const PortRef& port, const Plug& plug) {
  const auto cable = cables_.find(port);
  if (cable == cables_.end()) return;
  if (Plug* here = plug_at(port)) {
    const std::string serial = here->serial;
    *here = plug;
    here->serial = serial;
  } else {
    fec_of_switches_[port] = plug.fec;
  }
  if (Plug* there = plug_at(cable->second)) there->gbps = plug.gbps;
}

std::string World::fec_at(const PortRef& switch_port) const {
  const auto found = fec_of_switches_.find(switch_port);
  return found == fec_of_switches_.end() ? "" : found->second;
}

void World::make_dirty(const PortRef& port) {
  const std::optional<Place> place = place_of(port);
  if (place) place->machine->cards()[place->card].ports[place->port - 1].dirty = true;
  if (!is_host(port.node)) damaged_at_switches_.try_emplace(port, 0);
}

std::uint64_t World::damaged_frames(const PortRef& switch_port) const {
  const auto found = damaged_at_switches_.find(switch_port);
  return found == damaged_at_switches_.end() ? 0 : found->second;
}

void World::count_damaged(const PortRef& port, std::uint64_t frames) {
  const std::optional<Place> place = place_of(port);
  if (place) place->machine->cards()[place->card].ports[place->port - 1].damaged_frames += frames;
}

void World::connect(const PortRef& a, const PortRef& b) {
  unplug(a);
  unplug(b);
  walks_.clear();
  cables_.emplace(a, b);
  cables_.emplace(b, a);
  const std::string serial = fmt::format("LAB{:07}", ++cables_made_);
  for (const PortRef& end : {a, b}) {
    if (Plug* plug = plug_at(end)) *plug = Plug{serial, 0, {}, {}, {}};
  }
}

std::optional<PortRef> World::peer(const PortRef& port) const {
  const auto found = cables_.find(port);
  return found == cables_.end() ? std::nullopt : std::optional{found->second};
}

std::optional<World::Place> World::place_of(const PortRef& port) const {
  const auto machine = machines_.find(port.node);
  if (machine == machines_.end()) return std::nullopt;
  const std::vector<Card>& cards = machine->second->cards();
  const auto card = std::ranges::find_if(
      cards, [&](const Card& candidate) { return candidate.adapter == port.adapter; });
  const std::optional<std::uint64_t> number = parse_unsigned(port.port, 10);
  if (card == cards.end() || !number || *number < 1 || *number > card->ports.size())
    return std::nullopt;
  return Place{
      machine->second.get(),
      static_cast<std::size_t>(card - cards.begin()),
      static_cast<std::uint32_t>(*number)};
}

PortRef World::name_of(const Machine& machine, std::size_t card, std::uint32_t port) {
  return PortRef{machine.name(), machine.cards()[card].adapter, std::to_string(port)};
}

bool World::is_host(const NodeName& node) const {
  const auto machine = machines_.find(node);
  return machine != machines_.end() && !machine->second->is_switch();
}

std::optional<SwitchPort> World::switch_port(const PortRef& port) const {
  const auto machine = machines_.find(port.node);
  return machine == machines_.end() ? std::nullopt : machine->second->switch_port(port.port);
}

bool World::exists(const PortRef& port) const {
  return !is_host(port.node) || place_of(port).has_value();
}

bool World::powered(const PortRef& port) const {
  const auto machine = machines_.find(port.node);
  if (machine == machines_.end()) return true;
  if (!machine->second->powered()) return false;
  if (!machine->second->is_switch()) return place_of(port).has_value();
  const std::optional<SwitchPort> own = machine->second->switch_port(port.port);
  return !own || own->enabled;
}

bool World::same_link_type(const PortRef& a, const PortRef& b) const {
  const std::optional<Place> one = place_of(a);
  const std::optional<Place> other = place_of(b);
  if (!one || !other) return true;  // a switch port takes the type of what is plugged in
  const auto type = [](const Place& place) {
    return place.machine->cards()[place.card].ports[place.port - 1].link_type;
  };
  return type(*one) == type(*other);
}

bool World::carrier(const Machine& machine, std::size_t card, std::uint32_t port) const {
  return has_link(name_of(machine, card, port));
}

bool World::has_link(const PortRef& port) const {
  const std::optional<PortRef> there = peer(port);
  return there && powered(port) && powered(*there) && same_link_type(port, *there);
}

std::optional<LldpSender> World::lldp_neighbour(
    const Machine& machine, std::size_t card, std::uint32_t port) const {
  return lldp_at(name_of(machine, card, port));
}

std::optional<LldpSender> World::lldp_at(const PortRef& port) const {
  if (!has_link(port)) return std::nullopt;
  const PortRef there = *peer(port);
  if (const std::optional<Place> place = place_of(there))
    return place->machine->lldp(place->card, place->port);
  if (const std::optional<SwitchPort> own = switch_port(there)) return own->lldp;
  const auto sender = lldp_of_.find(there.node);
  if (sender == lldp_of_.end()) return std::nullopt;
  LldpSender told = sender->second;
  told.chassis_mac = address_by_name(there.node.str());
  told.port_mac = address_by_name(there.str());
  told.port_name = told.port_description = there.port;
  return told;
}

}  // namespace fabric::lab
