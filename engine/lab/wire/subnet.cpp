// SPDX-License-Identifier: Apache-2.0
// InfiniBand subnets: the ports that cables and switches join, and their managers. Only the walks
// over the cables are remembered: a reader of a file sees the work of the managers that run now.
#include <algorithm>

#include "engine/lab/wire/world.hpp"

namespace fabric::lab {
namespace {

bool outranks(const ManagerSeen& one, const ManagerSeen& other) {
  if (one.priority != other.priority) return one.priority > other.priority;
  return one.guid < other.guid;
}

// A mark of all state, except cables, that a walk depends on.
std::uint64_t mark_of_links(const Machine& machine) {
  std::uint64_t mark = machine.powered() ? 2 : 3;
  const auto add = [&mark](std::uint64_t value) {
    mark = (mark ^ value) * 0x100000001b3U;
  };
  if (machine.is_switch()) add(machine.changes());
  for (const Card& card : machine.cards()) {
    add(card.ports.size());
    for (const CardPort& port : card.ports)
      add(static_cast<std::uint64_t>(port.link_type));
  }
  return mark;
}

}  // namespace

bool World::is_infiniband(const Place& place) const {
  return place.machine->cards()[place.card].ports[place.port - 1].link_type == LinkType::infiniband;
}

std::optional<PortRef> World::linked_peer(const PortRef& port) const {
  const std::optional<PortRef> there = peer(port);
  const bool linked =
      there && powered(port) && powered(*there) && exists(*there) && same_link_type(port, *there);
  return linked ? there : std::nullopt;
}

void World::take_in_hand(const Machine& machine) const {
  in_hand_.try_emplace(&machine, mark_of_links(machine));
}

void World::let_go() const {
  forget_old_walks();
  in_hand_.clear();
}

void World::forget_old_walks() const {
  for (auto& [machine, mark] : in_hand_) {
    const std::uint64_t now = mark_of_links(*machine);
    if (now == mark) continue;
    mark = now;
    walks_.clear();
  }
}

void World::hold_still() const {
  if (still_ == 0) forget_old_walks();
  ++still_;
}

void World::go_on() const {
  if (--still_ == 0) managements_.clear();
}

World::Places World::ports_of_subnet(const PortRef& from) const {
  if (still_ == 0) forget_old_walks();
  Places& known = walks_[from];
  if (known == nullptr) known = walk_from(from);
  return known;
}

World::Places World::walk_from(const PortRef& from) const {
  std::set<PortRef> ports{from};
  std::set<NodeName> switches;
  std::vector<PortRef> senders{from};
  for (std::size_t i = 0; i < senders.size(); ++i) {
    const PortRef sender = senders[i];
    const std::optional<PortRef> there = linked_peer(sender);
    if (!there) continue;
    if (is_host(there->node)) {
      ports.insert(*there);
      continue;
    }
    if (!switches.insert(there->node).second) continue;
    for (auto cable = cables_.lower_bound({there->node, "", ""});
         cable != cables_.end() && cable->first.node == there->node;
         ++cable)
      senders.push_back(cable->first);
  }
  std::vector<Place> places;
  for (const PortRef& port : ports) {
    const std::optional<Place> place = place_of(port);
    if (place && is_infiniband(*place)) places.push_back(*place);
  }
  auto joined = std::make_shared<const Joined>(Joined{std::move(places), std::move(switches)});
  // The walk is the same from each of these ports.
  for (const PortRef& port : ports)
    walks_[port] = joined;
  return joined;
}

std::uint32_t World::lid_of(const Place& place) const {
  if (first_lids_.size() != machines_.size()) {
    first_lids_.clear();
    std::uint32_t lid = 0;
    for (const auto& [node, machine] : machines_) {
      first_lids_.emplace(machine.get(), lid);
      for (const Card& card : machine->cards())
        lid += static_cast<std::uint32_t>(card.ports.size());
    }
  }
  std::uint32_t lid = first_lids_.at(place.machine) + place.port;
  const std::vector<Card>& cards = place.machine->cards();
  for (std::size_t card = 0; card < place.card; ++card)
    lid += static_cast<std::uint32_t>(cards[card].ports.size());
  return lid;
}

std::optional<World::SwitchNames> World::names_of_switch(const NodeName& node) const {
  // Behind those of hosts, and of switches that are only names.
  constexpr std::uint32_t kFirst = 0x9000;
  const auto machine = machines_.find(node);
  if (machine == machines_.end() || machine->second->node_guid() == 0) return std::nullopt;
  const auto written = switch_guids_.find(node);
  return SwitchNames{
      written == switch_guids_.end() ? machine->second->node_guid() : written->second,
      kFirst + static_cast<std::uint32_t>(std::distance(machines_.begin(), machine))};
}

World::Management World::management_of(const Joined& joined) const {
  struct Candidate {
    ManagerSeen seen;
    const Place* place = nullptr;      // of a host
    const Machine* machine = nullptr;  // a switch
  };
  std::vector<Candidate> managers;
  for (const Place& place : joined.ports) {
    const std::optional<ManagerOffer> offer = place.machine->manager_on(place.card, place.port);
    if (offer) managers.push_back({{offer->guid, lid_of(place), offer->priority}, &place});
  }
  for (const NodeName& name : joined.switches) {
    const std::optional<SwitchNames> names = names_of_switch(name);
    if (!names) continue;
    const Machine& machine = *machines_.at(name);
    const auto priority = machine.powered() ? machine.manager_priority() : std::nullopt;
    if (priority) managers.push_back({{names->guid, names->lid, *priority}, nullptr, &machine});
  }
  std::sort(managers.begin(), managers.end(), [](const Candidate& one, const Candidate& other) {
    return outranks(one.seen, other.seen);
  });
  Management management;
  for (const Candidate& each : managers)
    management.managers.push_back(each.seen);
  if (managers.empty()) return management;
  const Candidate& master = managers.front();
  management.rules = master.place != nullptr ? master.place->machine->partitions_of(
                                                   master.place->card, master.place->port)
                                             : master.machine->own_partitions();
  return management;
}

bool World::is_managed(const PortRef& port) const {
  const std::optional<PortRef> there = linked_peer(port);
  const std::optional<Place> place = there ? place_of(*there) : std::nullopt;
  if (!place || !is_infiniband(*place)) return false;
  return !known_management(ports_of_subnet(*there))->managers.empty();
}

std::shared_ptr<const World::Management> World::known_management(const Places& ports) const {
  if (still_ == 0) return std::make_shared<const Management>(management_of(*ports));
  std::shared_ptr<const Management>& known = managements_[ports];
  if (known == nullptr) known = std::make_shared<const Management>(management_of(*ports));
  return known;
}

std::optional<SubnetView> World::subnet(
    const Machine& machine, std::size_t card, std::uint32_t port) const {
  const PortRef name = name_of(machine, card, port);
  const std::optional<Place> here = place_of(name);
  if (!here || !is_infiniband(*here) || !carrier(machine, card, port)) return std::nullopt;
  const auto management = known_management(ports_of_subnet(name));
  SubnetView view;
  if (management->managers.empty()) return view;
  view.managers = management->managers;
  view.lid = lid_of(*here);
  const std::uint64_t guid = machine.cards()[card].ports[port - 1].guid;
  view.pkeys = partition_keys(management->rules, guid, management->managers.front().guid);
  for (const std::uint16_t key : view.pkeys) {
    const auto bare = static_cast<std::uint16_t>(key & kDefaultKey);
    if (const PartitionRule& rule = management->rules.at(bare); rule.ipoib)
      view.groups[bare] = rule.mtu;
  }
  return view;
}

}  // namespace fabric::lab
