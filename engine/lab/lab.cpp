// SPDX-License-Identifier: Apache-2.0
#include "engine/lab/lab.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "engine/base/text.hpp"
#include "engine/lab/lab_impl.hpp"
#include "engine/value/digest.hpp"

namespace fabric::lab {

namespace {

// The kind of channel on the switch where the document leaves it open: the one that the bond needs.
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
  if (node.mlag && node.mlag->by_evpn()) return *NodeName::parse("evpn");
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

// For Ethernet: neighbours ask an unmanaged switch for its name, too.
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

std::set<std::string> ports_named(const FabricSpec& fabric, const NodeName& node) {
  std::set<std::string> names;
  for (const auto& [name, network] : fabric.networks)
    for (const PortRef& port : network.member_ports())
      if (port.node == node) names.insert(port.port);
  return names;
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

// FNV-1a: a host's randomness depends on its name, not on how many others there are.
std::uint64_t seed_of(std::uint64_t seed, std::string_view name) {
  std::uint64_t hash = 0xcbf29ce484222325ULL;
  for (const char c : name)
    hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3ULL;
  return Random{seed ^ hash}.next();
}

void note_ring_neighbours(
    const FabricSpec& fabric, std::set<std::pair<NodeName, NodeName>>& pairs) {
  for (const auto& [name, network] : fabric.networks) {
    if (network.mode.value != Mode::chain) continue;
    for (const CableSpec& cable : network.cables) {
      const NodeName& a = cable.a.value.node;
      const NodeName& b = cable.b.value.node;
      if (a != b) pairs.insert(std::minmax(a, b));
    }
  }
}

Result<PortRef> parse_port(
    const std::map<NodeName, std::unique_ptr<Machine>>& machines, std::string_view text) {
  const std::size_t slash = text.find('/');
  const Result<NodeName> node = NodeName::parse(text.substr(0, slash));
  if (!node || slash == std::string_view::npos) {
    return Error{
        ErrorCode::invalid,
        fmt::format("'{}' is no endpoint; expected node/port or node/adapter/port", text)};
  }
  const std::string_view rest = text.substr(slash + 1);
  const auto machine = machines.find(*node);
  if (machine == machines.end()) return PortRef{*node, "", std::string{rest}};
  if (machine->second->is_switch()) return PortRef{*node, "", std::string{rest}};
  const std::size_t second = rest.find('/');
  const std::vector<Card>& cards = machine->second->cards();
  if (second != std::string_view::npos) {
    return PortRef{
        *node, std::string{rest.substr(0, second)}, std::string{rest.substr(second + 1)}};
  }
  if (cards.size() != 1) {
    return Error{
        ErrorCode::invalid,
        fmt::format("'{}' must name one of {} adapters: node/adapter/port", text, cards.size())};
  }
  return PortRef{*node, cards.front().adapter, std::string{rest}};
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
  if (traits(platform).is_switch) host.named_ports = ports_named(fabric, node.name);
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
  // A port keeps the first channel that it gets.
  set_up_switches(world, fabric, lab);
}

Lab::Lab(const FabricSpec& fabric, const LabSpec& lab) : impl_{std::make_unique<Impl>(lab.seed)} {
  impl_->fault_percent = lab.fault_percent;
  std::set<std::uint64_t> guids;
  for (const auto& [name, node] : fabric.nodes)
    impl_->build(node, fabric, lab, guids);
  plug_cables(impl_->world, fabric, lab);
  note_ring_neighbours(fabric, impl_->ring_neighbours);
  for (auto& [name, machine] : impl_->machines)
    impl_->switch_on(name, lab);
  impl_->settle_links();
  for (const auto& [name, host] : lab.hosts) {
    const Result<NodeName> node = NodeName::parse(name);
    if (node && impl_->find(*node) != nullptr) impl_->catch_up(*node, host.done_since_boot);
  }
  for (auto& [name, machine] : impl_->machines)
    machine->write_back();
}

Lab::~Lab() = default;

bool Lab::Impl::build(
    const NodeSpec& node,
    const FabricSpec& fabric,
    const LabSpec& lab,
    std::set<std::uint64_t>& guids) {
  const NodeName& name = node.name;
  std::unique_ptr<Machine> machine =
      build_machine(node, fabric, lab, seed_of(lab.seed, name.str()));
  if (machine == nullptr) return false;
  tell_cards_apart(*machine, guids);
  HostLife life;
  const auto found = lab.hosts.find(name.str());
  if (found != lab.hosts.end()) {
    life.fault = found->second.fault;
    life.fault_after = found->second.fault_after;
    life.clocks = found->second.clocks;
  }
  if (!node.ssh->user.value.empty()) life.user = node.ssh->user.value;
  life.sudo = node.ssh->become.value == "sudo";
  machines.emplace(name, std::move(machine));
  lives.emplace(name, life);
  return true;
}

void Lab::Impl::switch_on(const NodeName& node, const LabSpec& lab) {
  begin();
  Machine& machine = hand(node);
  machine.boot(world);
  machine.booted -= Duration{3 * 3600 * 1000};  // it has been running for a while
  const auto host = lab.hosts.find(node.str());
  if (host != lab.hosts.end()) machine.prepare(host->second);
  lives.at(node).network_that_works = machine.network_in_force();
}

std::vector<NodeName> Lab::add_nodes(const FabricSpec& fabric, const LabSpec& lab) {
  std::set<std::uint64_t> guids;
  for (auto& [name, machine] : impl_->machines)
    tell_cards_apart(*machine, guids);
  std::vector<NodeName> added;
  for (const auto& [name, node] : fabric.nodes) {
    if (impl_->machines.contains(name) || !impl_->build(node, fabric, lab, guids)) continue;
    impl_->hand(name).now = impl_->now;
    added.push_back(name);
  }
  plug_cables_of({added.begin(), added.end()}, impl_->world, fabric, lab);
  note_ring_neighbours(fabric, impl_->ring_neighbours);
  for (const NodeName& name : added)
    impl_->switch_on(name, lab);
  impl_->settle_links();
  for (const NodeName& name : added)
    impl_->hand(name).write_back();
  return added;
}

bool Lab::accepts_connections(const NodeName& node) const {
  const auto life = impl_->lives.find(node);
  if (life == impl_->lives.end()) return false;
  if (life->second.fault == Fault::refused && life->second.fault_after == 0) return false;
  if (impl_->is_cut_off(node) || impl_->is_paused(life->second)) return false;
  return life->second.power == Power::up || life->second.power == Power::going_down;
}

bool Lab::Impl::is_cut_off(const NodeName& node) const {
  const HostLife& life = lives.at(node);
  return cuts_off(life.fault) && life.fault_after == 0 &&
         find(node)->network_in_force() != life.network_that_works;
}

bool Lab::keeps_sessions(const NodeName& node) const {
  return power(node) == Power::up && impl_->lives.at(node).fault == Fault::late &&
         impl_->is_cut_off(node);
}

bool Lab::stays_cut_off(const NodeName& node) const {
  const Machine* machine = impl_->find(node);
  return machine != nullptr && power(node) == Power::up && impl_->is_cut_off(node) &&
         !machine->next_event();
}

Power Lab::power(const NodeName& node) const {
  const auto life = impl_->lives.find(node);
  return life == impl_->lives.end() ? Power::dead : life->second.power;
}

Login Lab::login(const NodeName& node) const {
  const auto life = impl_->lives.find(node);
  if (life == impl_->lives.end()) return {};
  return Login{life->second.user, life->second.sudo};
}

Result<void> Lab::set_fault(const NodeName& node, Fault fault, std::string only) {
  const auto life = impl_->lives.find(node);
  if (life == impl_->lives.end()) {
    return Error{ErrorCode::not_found, fmt::format("the lab has no host '{}'", node.str())};
  }
  impl_->hand(node);
  life->second.fault = fault;
  life->second.fault_after = 0;
  life->second.fault_only = std::move(only);
  life->second.on_the_way.clear();
  life->second.network_that_works = impl_->find(node)->network_in_force();
  const bool booting = life->second.power == Power::booting;
  const Power before = life->second.power;
  if (fault == Fault::no_boot && booting) life->second.power = Power::dead;
  // A person has pressed the button.
  if (fault == Fault::none && life->second.power == Power::dead)
    impl_->start_boot(node, impl_->now);
  if (life->second.power != before) impl_->tell(node, impl_->now, Fault::none);
  return {};
}

Fault Lab::fault(const NodeName& node) const {
  const auto life = impl_->lives.find(node);
  return life == impl_->lives.end() ? Fault::none : life->second.fault;
}

void Lab::cut_power(const NodeName& node) {
  if (power(node) == Power::up || power(node) == Power::going_down)
    impl_->loses_power(node, std::max(impl_->now, impl_->find(node)->now));
}

Result<void> Lab::recable(std::string_view a, std::string_view b) {
  const PortRef from = FABRIC_TRY(parse_port(impl_->machines, a));
  const PortRef to = FABRIC_TRY(parse_port(impl_->machines, b));
  for (const PortRef& port : {from, to}) {
    if (!impl_->world.exists(port))
      return Error{ErrorCode::not_found, fmt::format("the lab has no port '{}'", port.str())};
  }
  if (from == to)
    return Error{ErrorCode::invalid, fmt::format("'{}' can't be cabled to itself", from.str())};
  impl_->world.connect(from, to);
  impl_->settle_links();
  return {};
}

Result<void> Lab::unplug(std::string_view port, bool one_end) {
  const PortRef at = FABRIC_TRY(parse_port(impl_->machines, port));
  if (!impl_->world.exists(at))
    return Error{ErrorCode::not_found, fmt::format("the lab has no port '{}'", at.str())};
  if (!impl_->world.peer(at))
    return Error{ErrorCode::invalid, fmt::format("no cable is in '{}'", at.str())};
  impl_->world.unplug(at, one_end ? World::Ends::one : World::Ends::both);
  impl_->settle_links();
  return {};
}

Result<void> Lab::swap_card(const NodeName& node, std::string_view adapter) {
  Machine* machine = impl_->find(node);
  if (machine == nullptr)
    return Error{ErrorCode::not_found, fmt::format("the lab has no host '{}'", node.str())};
  std::vector<Card>& cards = machine->cards();
  const auto old = std::ranges::find_if(
      cards, [adapter](const Card& card) { return adapter.empty() || card.adapter == adapter; });
  const bool is_ambiguous = adapter.empty() && cards.size() > 1;
  if (old == cards.end() || is_ambiguous) {
    std::vector<std::string> names;
    for (const Card& card : cards)
      names.push_back(card.adapter);
    return Error{
        ErrorCode::invalid,
        fmt::format("{}: which card? expected one of {}", node.str(), join(names, ", "))};
  }
  cut_power(node);
  impl_->hand(node);
  const auto index = static_cast<std::uint32_t>(old - cards.begin());
  Card card =
      make_card(old->hardware, static_cast<std::uint32_t>(old->ports.size()), index, impl_->random);
  card.adapter = old->adapter;
  card.pci = old->pci;
  card.pcie_lanes = old->pcie_lanes;
  for (std::size_t port = 0; port < card.ports.size() && port < old->ports.size(); ++port)
    card.ports[port].plug = old->ports[port].plug;
  *old = std::move(card);
  std::set<std::uint64_t> guids;
  for (auto& [name, each] : impl_->machines)
    tell_cards_apart(*each, guids);
  return {};
}

void Lab::set_fault_percent(std::uint32_t percent) {
  impl_->fault_percent = percent;
}

void Lab::watch(std::function<void(const HostEvent&)> watcher) {
  impl_->watcher = std::move(watcher);
}

bool Lab::forwards(const PortRef& port) const {
  const Machine* machine = impl_->find(port.node);
  if (machine == nullptr || !impl_->world.has_link(port)) return false;
  const std::vector<Card>& cards = machine->cards();
  return std::ranges::any_of(
      cards, [&port](const Card& card) { return card.adapter == port.adapter && card.chaining; });
}

bool Lab::is_managed(const PortRef& port) const {
  const Machine* machine = impl_->find(port.node);
  if (machine == nullptr) return false;
  const std::optional<std::uint64_t> number = parse_unsigned(port.port, 10);
  const std::vector<Card>& cards = machine->cards();
  for (std::size_t card = 0; number && card < cards.size(); ++card) {
    if (cards[card].adapter != port.adapter) continue;
    const auto view = impl_->world.subnet(*machine, card, static_cast<std::uint32_t>(*number));
    return view && !view->managers.empty();
  }
  return false;
}

std::optional<std::uint32_t> Lab::mtu(const PortRef& port) const {
  const Machine* machine = impl_->find(port.node);
  if (machine == nullptr || !machine->powered() || !impl_->world.has_link(port))
    return std::nullopt;
  if (port.adapter.empty()) {
    const std::optional<SwitchPort> own = machine->switch_port(port.port);
    return own && own->forwards ? std::optional{own->mtu} : std::nullopt;
  }
  const std::vector<Card>& cards = machine->cards();
  for (std::size_t card = 0; card < cards.size(); ++card)
    if (cards[card].adapter == port.adapter) return machine->sends_up_to(card, port.number());
  return std::nullopt;
}

std::optional<std::uint32_t> Lab::group_mtu(const PortRef& port) const {
  const Machine* machine = impl_->find(port.node);
  if (machine == nullptr) return std::nullopt;
  const std::vector<Card>& cards = machine->cards();
  for (std::size_t card = 0; card < cards.size(); ++card) {
    if (cards[card].adapter != port.adapter) continue;
    constexpr std::uint32_t kHeader = 4;  // RFC 4391
    const auto view = impl_->world.subnet(*machine, card, port.number());
    if (!view || !view->groups.contains(kDefaultKey)) return std::nullopt;
    return view->groups.at(kDefaultKey) - kHeader;
  }
  return std::nullopt;
}

const Monitor& Lab::monitor() const {
  return impl_->monitor;
}

std::string Lab::digest(const NodeName& node) const {
  const Machine* machine = impl_->find(node);
  if (machine == nullptr) return "";
  return sha256(std::string_view{machine->state_text()});
}

std::string Lab::identity(const NodeName& node) const {
  const Machine* machine = impl_->find(node);
  return machine == nullptr ? "" : machine->identity();
}

std::optional<std::string> Lab::read_file(const NodeName& node, std::string_view path) const {
  const Machine* machine = impl_->find(node);
  return machine == nullptr ? std::nullopt : machine->read_file(path);
}

std::vector<std::string> Lab::touched_files(const NodeName& node) const {
  const Machine* machine = impl_->find(node);
  return machine == nullptr ? std::vector<std::string>{} : machine->touched_files();
}

std::vector<std::string> Lab::unsynced_files(const NodeName& node) const {
  const Machine* machine = impl_->find(node);
  return machine == nullptr ? std::vector<std::string>{} : machine->unsynced_files();
}

bool Lab::has_prompt(const NodeName& node) const {
  const Machine* machine = impl_->find(node);
  return machine != nullptr && machine->has_prompt();
}

bool Lab::reads_input(const NodeName& node, std::string_view line) const {
  const Machine* machine = impl_->find(node);
  return machine != nullptr && machine->reads_input(line);
}

std::vector<NodeName> Lab::nodes() const {
  std::vector<NodeName> names;
  for (const auto& [name, machine] : impl_->machines)
    names.push_back(name);
  return names;
}

}  // namespace fabric::lab
