#include "engine/lab/wire/world.hpp"

#include <algorithm>

#include "engine/base/text.hpp"

namespace fabric::lab {

bool has_carrier(const Network& network, const Machine& machine, const Interface& interface) {
  if (!interface.card) return true;
  return network.carrier(machine, *interface.card, interface.port);
}

void World::unplug(const PortRef& port) {
  const auto found = cables_.find(port);
  if (found == cables_.end()) return;
  const PortRef other = found->second;
  cables_.erase(found);
  cables_.erase(other);
}

void World::connect(const PortRef& a, const PortRef& b) {
  unplug(a);
  unplug(b);
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
  return machines_.count(port.node) == 0 || place_of(port).has_value();
}

bool World::powered(const PortRef& port) const {
  if (machines_.count(port.node) == 0) return true;
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
