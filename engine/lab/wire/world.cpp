#include "engine/lab/wire/world.hpp"

#include <algorithm>

#include "engine/base/text.hpp"
#include "engine/lab/linux/kernel/bonding.hpp"
#include "engine/lab/linux/kernel/ipoib.hpp"
#include "engine/lab/linux/kernel/lacp.hpp"

namespace fabric::lab {

bool has_carrier(const Network& network, const Machine& machine, const Interface& interface) {
  const Interface* standing_on = &interface;
  for (; standing_on != nullptr && standing_on->vlan;
       standing_on = machine.interface_of_index(standing_on->vlan->below)) {
    const Interface* below = machine.interface_of_index(standing_on->vlan->below);
    if (below == nullptr || !below->up) return false;
  }
  if (standing_on == nullptr) return false;
  if (standing_on->bond) return bond_carrier(network, machine, *standing_on);
  if (!standing_on->card) return true;
  if (standing_on->ipoib) return ipoib_carrier(network, machine, *standing_on);
  return network.carrier(machine, *standing_on->card, standing_on->port);
}

void World::add_port_channel(std::vector<PortRef> ports, bool lacp) {
  channels_.push_back(PortChannel{std::move(ports), lacp});
}

std::size_t World::channel_of(const PortRef& port) const {
  const auto found = std::find_if(channels_.begin(), channels_.end(), [&](const auto& channel) {
    return std::find(channel.ports.begin(), channel.ports.end(), port) != channel.ports.end();
  });
  return found == channels_.end() ? kNoChannel
                                  : static_cast<std::size_t>(found - channels_.begin());
}

// A switch has one address for all its channels and a key for each.
std::optional<LacpPartner> World::lacp_partner(
    const Machine& machine, std::size_t card, std::uint32_t port) const {
  if (!carrier(machine, card, port)) return std::nullopt;
  const PortRef there = *peer(*name_of(machine, card, port));
  if (const std::optional<Place> place = place_of(there)) {
    const Interface* far = place->machine->interface_of_port(place->card, place->port);
    return far == nullptr ? std::nullopt : lacp_offer(*place->machine, *far);
  }
  const std::size_t channel = channel_of(there);
  if (channel == kNoChannel || !channels_[channel].lacp) return std::nullopt;
  std::uint64_t hash = 7;
  for (const char c : there.node.str())
    hash = hash * 31 + static_cast<unsigned char>(c);
  const auto& ports = channels_[channel].ports;
  const auto number = std::find(ports.begin(), ports.end(), there) - ports.begin() + 1;
  return LacpPartner{
      mac_text((std::uint64_t{0xe41d2d} << 24U) | (hash & 0xFFFFFFU)),
      static_cast<std::uint32_t>(channel + 1),
      static_cast<std::uint32_t>(number),
      32768,
      32768,
      false};
}

void World::unplug(const PortRef& port) {
  const auto found = cables_.find(port);
  if (found == cables_.end()) return;
  const PortRef other = found->second;
  walks_.by_port.clear();
  cables_.erase(found);
  cables_.erase(other);
}

void World::make_dirty(const PortRef& port) {
  const std::optional<Place> place = place_of(port);
  if (place) place->machine->state.cards[place->card].ports[place->port - 1].dirty = true;
}

void World::connect(const PortRef& a, const PortRef& b) {
  unplug(a);
  unplug(b);
  walks_.by_port.clear();
  cables_.emplace(a, b);
  cables_.emplace(b, a);
}

std::optional<PortRef> World::peer(const PortRef& port) const {
  const auto found = cables_.find(port);
  return found == cables_.end() ? std::nullopt : std::optional{found->second};
}

std::optional<World::Place> World::place_of(const PortRef& port) const {
  const auto machine = machines_.find(port.node);
  if (machine == machines_.end()) return std::nullopt;
  const std::vector<Card>& cards = machine->second->state.cards;
  const auto card = std::find_if(cards.begin(), cards.end(), [&](const Card& candidate) {
    return candidate.adapter == port.adapter;
  });
  const std::optional<std::uint64_t> number = parse_unsigned(port.port, 10);
  if (card == cards.end() || !number || *number < 1 || *number > card->ports.size())
    return std::nullopt;
  return Place{
      machine->second.get(),
      static_cast<std::size_t>(card - cards.begin()),
      static_cast<std::uint32_t>(*number)};
}

std::optional<PortRef> World::name_of(
    const Machine& machine, std::size_t card, std::uint32_t port) const {
  const Result<NodeName> node = NodeName::parse(machine.profile.name);
  if (!node) return std::nullopt;
  return PortRef{*node, machine.state.cards[card].adapter, std::to_string(port)};
}

bool World::exists(const PortRef& port) const {
  return !machines_.contains(port.node) || place_of(port).has_value();
}

bool World::powered(const PortRef& port) const {
  if (!machines_.contains(port.node)) return true;
  const std::optional<Place> place = place_of(port);
  return place && place->machine->os_running;
}

bool World::same_link_type(const PortRef& a, const PortRef& b) const {
  const std::optional<Place> one = place_of(a);
  const std::optional<Place> other = place_of(b);
  if (!one || !other) return true;  // a switch port takes the type of what is plugged in
  const auto type = [](const Place& place) {
    return place.machine->state.cards[place.card].ports[place.port - 1].link_type;
  };
  return type(*one) == type(*other);
}

bool World::carrier(const Machine& machine, std::size_t card, std::uint32_t port) const {
  const std::optional<PortRef> here = name_of(machine, card, port);
  const std::optional<PortRef> there = here ? peer(*here) : std::nullopt;
  return there && powered(*here) && powered(*there) && same_link_type(*here, *there);
}

std::optional<Neighbour> World::neighbour(
    const Machine& machine, std::size_t card, std::uint32_t port) const {
  if (!carrier(machine, card, port)) return std::nullopt;
  const std::optional<Place> place = place_of(*peer(*name_of(machine, card, port)));
  if (!place) return std::nullopt;
  return Neighbour{place->machine, place->card, place->port};
}

}  // namespace fabric::lab
