// SPDX-License-Identifier: Apache-2.0
// InfiniBand subnets: the ports that cables and switches join, and their managers. Only the walks
// over the cables are remembered: a reader of a file sees the work of the managers that run now.
#include <algorithm>

#include "engine/lab/wire/world.hpp"
#include "engine/model/switch_port.hpp"

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
  std::ranges::sort(managers, [](const Candidate& one, const Candidate& other) {
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

// A sweep of an InfiniBand subnet, port by port, as libibnetdisc makes it: switches answer for all
// their ports, a channel adapter for the port that it was reached by.

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
      std::ranges::sort(
          node.ports, [](const SweptPort& a, const SweptPort& b) { return a.number < b.number; });
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
