// InfiniBand subnets: which ports cables and switches join, and who manages them. Nothing is
// remembered: whoever reads a file sees what the managers that run now have made of it.
#include <algorithm>

#include "engine/lab/host/partition_file.hpp"
#include "engine/lab/host/subnet_manager.hpp"
#include "engine/lab/wire/world.hpp"

namespace fabric::lab {
namespace {

struct Candidate {
  ManagerSeen seen;
  const ManagerProcess* process = nullptr;
};

bool outranks(const Candidate& one, const Candidate& other) {
  if (one.seen.priority != other.seen.priority) return one.seen.priority > other.seen.priority;
  return one.seen.guid < other.seen.guid;
}

}  // namespace

bool World::is_infiniband(const Place& place) const {
  return place.machine->state.cards[place.card].ports[place.port - 1].link_type ==
         LinkType::infiniband;
}

std::optional<PortRef> World::linked_peer(const PortRef& port) const {
  const std::optional<PortRef> there = peer(port);
  const bool linked =
      there && powered(port) && powered(*there) && exists(*there) && same_link_type(port, *there);
  return linked ? there : std::nullopt;
}

std::uint64_t World::mark_of_links() const {
  std::uint64_t mark = 0;
  const auto add = [&mark](std::uint64_t value) {
    mark = (mark ^ value) * 0x100000001b3U;
  };
  for (const auto& [node, machine] : machines_) {
    add(machine->os_running ? 2 : 3);
    for (const Card& card : machine->state.cards) {
      add(card.ports.size());
      for (const CardPort& port : card.ports)
        add(static_cast<std::uint64_t>(port.link_type));
    }
  }
  return mark;
}

World::Places World::ports_of_subnet(const PortRef& from) const {
  const std::uint64_t mark = mark_of_links();
  if (walks_.mark != mark) walks_ = {mark, {}};
  Places& known = walks_.by_port[from];
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
    if (machines_.contains(there->node)) {
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
  auto joined = std::make_shared<const std::vector<Place>>(std::move(places));
  // From each of them the walk would go the same way.
  for (const PortRef& port : ports)
    walks_.by_port[port] = joined;
  return joined;
}

std::uint32_t World::lid_of(const Place& place) const {
  std::uint32_t lid = 0;
  for (const auto& [node, machine] : machines_) {
    const std::vector<Card>& cards = machine->state.cards;
    for (std::size_t card = 0; card < cards.size(); ++card) {
      const bool here = machine.get() == place.machine && card == place.card;
      if (here) return lid + place.port;
      lid += static_cast<std::uint32_t>(cards[card].ports.size());
    }
  }
  return lid;
}

std::optional<SubnetView> World::subnet(
    const Machine& machine, std::size_t card, std::uint32_t port) const {
  const std::optional<PortRef> name = name_of(machine, card, port);
  const std::optional<Place> here = name ? place_of(*name) : std::nullopt;
  if (!here || !is_infiniband(*here) || !carrier(machine, card, port)) return std::nullopt;
  // To follow hundreds of cables takes its time, and all files of all ports ask.
  const bool anybody = std::any_of(machines_.begin(), machines_.end(), [](const auto& each) {
    return !each.second->state.managers.empty();
  });
  if (!anybody) return SubnetView{};
  std::vector<Candidate> managers;
  const Places joined = ports_of_subnet(*name);
  for (const Place& place : *joined) {
    const ManagerProcess* process = manager_on(*place.machine, place.card, place.port);
    if (process == nullptr) continue;
    managers.push_back({{process->guid, lid_of(place), process->priority}, process});
  }
  SubnetView view;
  if (managers.empty()) return view;
  std::sort(managers.begin(), managers.end(), outranks);
  for (const Candidate& each : managers)
    view.managers.push_back(each.seen);
  view.lid = lid_of(*here);
  const PartitionRules rules = partition_rules(managers.front().process->partitions);
  const std::uint64_t guid = machine.state.cards[card].ports[port - 1].guid;
  view.pkeys = partition_keys(rules, guid, managers.front().seen.guid);
  for (const std::uint16_t key : view.pkeys) {
    const auto bare = static_cast<std::uint16_t>(key & kDefaultKey);
    if (const PartitionRule& rule = rules.at(bare); rule.ipoib) view.groups[bare] = rule.mtu;
  }
  return view;
}

}  // namespace fabric::lab
