#include "engine/lab/lab.hpp"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "engine/base/text.hpp"
#include "engine/lab/build_machines.hpp"
#include "engine/lab/lab_impl.hpp"
#include "engine/lab/linux/kernel/bonding.hpp"
#include "engine/lab/linux/services/unit_files.hpp"
#include "engine/lab/linux/system/boot.hpp"
#include "engine/value/digest.hpp"

namespace fabric::lab {
namespace {

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

std::string interface_text(const Machine& machine, const Interface& interface) {
  std::string addresses;
  for (const IpPrefix& address : interface.addresses)
    addresses += " " + address.str();
  std::string text = fmt::format(
      "interface {} {} mtu {} {}{}\n",
      interface.name,
      interface.mac,
      interface.mtu,
      interface.up ? "up" : "down",
      addresses);
  if (interface.master != 0) text += fmt::format("of {}\n", interface.master);
  if (interface.vlan)
    text += fmt::format("vlan {} on {}\n", interface.vlan->id, interface.vlan->below);
  if (interface.ipoib)
    text += fmt::format("ipoib {} {}\n", interface.ipoib->connected, interface.ipoib->wished_mtu);
  if (!interface.bond) return text;
  for (const std::string_view option : bond_options())
    text += fmt::format("{} {}\n", option, bond_option(machine, interface, option));
  return text;
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
  const std::size_t second = rest.find('/');
  const std::vector<Card>& cards = machine->second->state.cards;
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

Lab::Lab(const FabricSpec& fabric, LabSpec lab) : impl_{std::make_unique<Impl>(lab.seed)} {
  impl_->fault_percent = lab.fault_percent;
  std::set<std::uint64_t> guids;
  for (const auto& [name, node] : fabric.nodes) {
    if (node.platform.value != Platform::linux) continue;
    const auto found = lab.hosts.find(name.str());
    const LabHost host = found == lab.hosts.end() ? LabHost{} : found->second;
    std::unique_ptr<Machine> machine = build_machine(node, host, seed_of(lab.seed, name.str()));
    tell_cards_apart(*machine, guids);
    HostLife life;
    life.fault = host.fault;
    life.fault_after = host.fault_after;
    if (!machine->profile.users.empty()) life.user = machine->profile.users.front();
    life.sudo = node.ssh->become.value == "sudo";
    impl_->machines.emplace(name, std::move(machine));
    impl_->lives.emplace(name, life);
  }
  plug_cables(impl_->world, fabric, lab);
  note_ring_neighbours(fabric, impl_->ring_neighbours);
  for (auto& [name, machine] : impl_->machines) {
    boot(*machine, impl_->world);
    machine->booted -= Duration{3 * 3600 * 1000};  // it has been running for a while
    const auto host = lab.hosts.find(name.str());
    if (host != lab.hosts.end()) arm_settings(*machine, host->second);
    if (host != lab.hosts.end() && host->second.boot_id)
      machine->state.boot_id = *host->second.boot_id;
    impl_->lives.at(name).network_that_works = machine->state.network_in_force;
  }
  impl_->settle_links();
  for (const auto& [name, host] : lab.hosts) {
    const Result<NodeName> node = NodeName::parse(name);
    if (node && impl_->find(*node) != nullptr) impl_->catch_up(*node, host.done_since_boot);
  }
}

Lab::~Lab() = default;

bool Lab::accepts_connections(const NodeName& node) const {
  const auto life = impl_->lives.find(node);
  if (life == impl_->lives.end()) return false;
  if (life->second.fault == Fault::refused && life->second.fault_after == 0) return false;
  if (impl_->is_cut_off(node)) return false;
  return life->second.power == Power::up || life->second.power == Power::going_down;
}

bool Lab::Impl::is_cut_off(const NodeName& node) const {
  const HostLife& life = lives.at(node);
  return cuts_off(life.fault) && life.fault_after == 0 &&
         find(node)->state.network_in_force != life.network_that_works;
}

bool Lab::keeps_sessions(const NodeName& node) const {
  return power(node) == Power::up && impl_->lives.at(node).fault == Fault::late &&
         impl_->is_cut_off(node);
}

bool Lab::stays_cut_off(const NodeName& node) const {
  const Machine* machine = impl_->find(node);
  return machine != nullptr && power(node) == Power::up && impl_->is_cut_off(node) &&
         !next_unit(*machine);
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
  life->second.fault = fault;
  life->second.fault_after = 0;
  life->second.fault_only = std::move(only);
  life->second.on_the_way.clear();
  life->second.network_that_works = impl_->find(node)->state.network_in_force;
  const bool booting = life->second.power == Power::booting;
  const Power before = life->second.power;
  if (fault == Fault::no_boot && booting) life->second.power = Power::dead;
  // Somebody pressed the button.
  if (fault == Fault::none && life->second.power == Power::dead)
    impl_->start_boot(node, impl_->now);
  if (life->second.power != before) impl_->tell(node, impl_->now, Fault::none);
  return {};
}

Fault Lab::fault(const NodeName& node) const {
  const auto life = impl_->lives.find(node);
  return life == impl_->lives.end() ? Fault::none : life->second.fault;
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

void Lab::set_fault_percent(std::uint32_t percent) {
  impl_->fault_percent = percent;
}

void Lab::watch(std::function<void(const HostEvent&)> watcher) {
  impl_->watcher = std::move(watcher);
}

bool Lab::is_managed(const PortRef& port) const {
  const Machine* machine = impl_->find(port.node);
  if (machine == nullptr) return false;
  const std::optional<std::uint64_t> number = parse_unsigned(port.port, 10);
  const std::vector<Card>& cards = machine->state.cards;
  for (std::size_t card = 0; number && card < cards.size(); ++card) {
    if (cards[card].adapter != port.adapter) continue;
    const auto view = impl_->world.subnet(*machine, card, static_cast<std::uint32_t>(*number));
    return view && !view->managers.empty();
  }
  return false;
}

const Monitor& Lab::monitor() const {
  return impl_->monitor;
}

std::string Lab::digest(const NodeName& node) const {
  const Machine* machine = impl_->find(node);
  if (machine == nullptr) return "";
  std::string text = "hostname " + machine->state.hostname + "\n";
  machine->state.files.visit_persistent([&](const std::string& path, const Inode& file) {
    const bool log = path.rfind("/var/log/", 0) == 0;
    if (!log && file.kind != FileKind::program) {
      text +=
          fmt::format("{} {:o} {}:{} {}\n", path, file.mode, file.owner, file.group, file.content);
    }
  });
  for (const Interface& interface : machine->state.interfaces)
    text += interface_text(*machine, interface);
  for (const auto& [path, value] : machine->state.sysctls)
    text += fmt::format("sysctl {} {}\n", path, value);
  for (const auto& [module, values] : machine->state.modules) {
    text += "module " + module + "\n";
    for (const auto& [name, value] : values)
      text += fmt::format("{}={}\n", name, value);
  }
  for (const auto& [unit, service] : machine->state.services) {
    text += fmt::format("service {} {} {}\n", unit, service.active, service.enabled);
  }
  for (const auto& [unit, process] : machine->state.managers) {
    text += fmt::format(
        "manager {} {:x} {} {}\n",
        unit,
        process.guid,
        process.priority,
        process.partitions.value_or("-"));
  }
  for (const Card& card : machine->state.cards) {
    text += fmt::format("card {} {} {}\n", card.pci, card.firmware, card.flash());
    for (const auto& [name, setting] : card.settings) {
      text += fmt::format("{} {} {}\n", name, setting.current, setting.next);
    }
  }
  return sha256(std::string_view{text});
}

std::optional<std::string> Lab::read_file(const NodeName& node, std::string_view path) const {
  const Machine* machine = impl_->find(node);
  std::string content;
  if (machine == nullptr || machine->state.files.read(path, "root", content) != FileError::none)
    return std::nullopt;
  return content;
}

std::vector<std::string> Lab::touched_files(const NodeName& node) const {
  const Machine* machine = impl_->find(node);
  if (machine == nullptr) return {};
  const std::set<std::string>& touched = machine->state.files.touched();
  return {touched.begin(), touched.end()};
}

std::vector<NodeName> Lab::nodes() const {
  std::vector<NodeName> names;
  for (const auto& [name, machine] : impl_->machines)
    names.push_back(name);
  return names;
}

}  // namespace fabric::lab
