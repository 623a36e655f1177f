// SPDX-License-Identifier: Apache-2.0
#include "providers/nvue/lab/nvue_machine.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "engine/base/check.hpp"
#include "engine/base/text.hpp"
#include "engine/model/switch_port.hpp"
#include "engine/value/json.hpp"
#include "providers/linux/lab/build_linux.hpp"
#include "providers/linux/lab/system/base_system.hpp"
#include "providers/nvue/lab/nvue_programs.hpp"

namespace fabric::lab {
namespace {

constexpr int kCumulusPorts = 64;
constexpr int kNvosCages = 32;
constexpr std::uint32_t kEthernetMtu = 9216;  // E-nvue-mtu
constexpr std::uint32_t kInfinibandMtu = 4096;
constexpr const char* kSeed = "/etc/nvue.d/startup.commands";

struct SavedNvue final : SavedState {
  SavedNvue(std::unique_ptr<SavedState> saved, nvue::State kept)
      : system{std::move(saved)}, state{std::move(kept)} {}
  std::unique_ptr<SavedState> system;
  nvue::State state;
};

bool is_set(const Value& tree, const nvue::Words& path) {
  return nvue::find(tree, path) != nullptr;
}

}  // namespace

NvueMachine::NvueMachine(MachineProfile given, std::uint64_t seed, Platform kind)
    : LinuxMachine{std::move(given), seed, nvue_programs()}, platform{kind} {}

const nvue::Revision& NvueMachine::revision(std::uint64_t id) const {
  const auto found = std::ranges::find_if(
      nvue.revisions, [id](const nvue::Revision& each) { return each.id == id; });
  FABRIC_CHECK(found != nvue.revisions.end(), "a revision that is kept");
  return *found;
}

nvue::Revision& NvueMachine::revision(std::uint64_t id) {
  const auto number = &std::as_const(*this).revision(id) - nvue.revisions.data();
  return nvue.revisions[static_cast<std::size_t>(number)];
}

const Value& NvueMachine::applied() const {
  return revision(nvue.applied).tree;
}

std::vector<std::string> NvueMachine::front_ports() const {
  std::vector<std::string> ports;
  if (platform == Platform::nvos) {
    for (int cage = 1; cage <= kNvosCages; ++cage)
      for (const int half : {1, 2})
        ports.push_back(fmt::format("sw{}p{}", cage, half));
    return ports;
  }
  for (int number = 1; number <= kCumulusPorts; ++number)
    ports.push_back(fmt::format("swp{}", number));
  for (const std::string& port : named_ports) {
    const std::string native = parse_integer(port) ? "swp" + port : port;
    if (std::ranges::find(ports, native) == ports.end()) ports.push_back(native);
  }
  return ports;
}

std::string NvueMachine::bond_of(const std::string& port) const {
  for (const auto& [name, each] : applied().member("interface").members())
    if (is_set(each, {"bond", "member", port})) return name;
  return "";
}

// A member runs with the MTU of its bond (E-nvue-bond).
std::uint32_t NvueMachine::mtu_of(const std::string& interface) const {
  const std::string bond = bond_of(interface);
  const Value* mtu =
      nvue::find(applied(), {"interface", bond.empty() ? interface : bond, "link", "mtu"});
  if (mtu != nullptr && mtu->as_integer() != nullptr)
    return static_cast<std::uint32_t>(*mtu->as_integer());
  return platform == Platform::nvos ? kInfinibandMtu : kEthernetMtu;
}

// On by default from 5.9 on; off on NVOS (E-nvue-save).
bool NvueMachine::saves_by_itself() const {
  for (const char* key : {"state", "enable"}) {
    const std::string said = nvue::word_at(applied(), {"system", "config", "auto-save", key});
    if (!said.empty()) return said == "enabled" || said == "on";
  }
  return platform == Platform::cumulus;
}

std::string NvueMachine::mac_of(const std::string& port) const {
  const std::uint64_t bits = hash_of(name().str() + "/" + port);
  return fmt::format(
      "44:38:39:{:02x}:{:02x}:{:02x}", (bits >> 16U) & 0xffU, (bits >> 8U) & 0xffU, bits & 0xffU);
}

PortRef NvueMachine::document_port(const std::string& native) const {
  const auto port = fabric::SwitchPort::parse(native);
  return {name(), "", port ? port->str() : native};
}

// Restores the former configuration (E-nvue-confirm).
void NvueMachine::roll_back() {
  FABRIC_CHECK(nvue.confirmation.has_value(), "a change waits to be confirmed");
  revision(nvue.confirmation->revision).state = "rolled_back";
  revision(nvue.confirmation->before).state = "applied";
  nvue.applied = nvue.confirmation->before;
  nvue.confirmation.reset();
  note_change();
}

std::unique_ptr<SavedState> NvueMachine::save() const {
  return std::make_unique<SavedNvue>(LinuxMachine::save(), nvue);
}

void NvueMachine::restore(std::unique_ptr<SavedState> saved) {
  auto* mine = dynamic_cast<SavedNvue*>(saved.get());
  FABRIC_CHECK(mine != nullptr, "what is restored was saved by this machine");
  nvue = std::move(mine->state);
  LinuxMachine::restore(std::move(mine->system));
}

std::string NvueMachine::state_text() const {
  std::string text = LinuxMachine::state_text();
  text += "applied " + to_json(applied()) + "\nstartup " + to_json(nvue.startup) + "\n";
  if (nvue.confirmation) text += fmt::format("confirm {}\n", nvue.confirmation->revision);
  return text;
}

// Unsaved and pending changes are lost (E-nvue-save).
void NvueMachine::boot(const Network& network) {
  LinuxMachine::boot(network);
  nvue.pending.clear();
  nvue.confirmation.reset();
  std::erase_if(nvue.revisions, [](const auto& each) { return each.state == "pending"; });
  const std::uint64_t id = nvue.revisions.empty() ? 1 : nvue.revisions.back().id + 1;
  for (nvue::Revision& each : nvue.revisions)
    if (each.state == "confirm") each.state = "rolled_back";
  nvue.revisions.push_back({id, "applied", "root", nvue.startup});
  nvue.applied = id;
}

std::optional<TimePoint> NvueMachine::next_event() const {
  const std::optional<TimePoint> system = LinuxMachine::next_event();
  if (!nvue.confirmation) return system;
  return system ? std::min(*system, nvue.confirmation->until) : nvue.confirmation->until;
}

void NvueMachine::on_event(const Network& network) {
  if (nvue.confirmation && now >= nvue.confirmation->until) return roll_back();
  LinuxMachine::on_event(network);
}

// A change of the configuration may cut the switch off.
std::string NvueMachine::network_in_force() const {
  return LinuxMachine::network_in_force() + to_json(applied());
}

std::optional<LacpPartner> NvueMachine::lacp_of(
    const std::string& port, const std::string& bond) const {
  if (bond.empty() || nvue::word_at(applied(), {"interface", bond, "bond", "mode"}) == "static")
    return std::nullopt;
  std::string id = nvue::word_at(applied(), {"interface", bond, "bond", "mlag", "id"});
  std::string pair = nvue::word_at(applied(), {"mlag", "mac-address"});
  // The address of an Ethernet segment is the system of LACP (E-nvue-evpn).
  const nvue::Words segment{"interface", bond, "evpn", "multihoming", "segment"};
  const auto of_segment = [&](const char* key) {
    nvue::Words path = segment;
    path.emplace_back(key);
    return nvue::word_at(applied(), path);
  };
  if (nvue::word_at(applied(), {"evpn", "multihoming", "enable"}) == "on" &&
      of_segment("enable") == "on") {
    id = of_segment("local-id");
    pair = of_segment("mac-address");
  }
  constexpr std::uint64_t kKeys = 0x7fff;
  LacpPartner partner;
  const bool as_one = !id.empty() && !pair.empty();
  // Both switches of a pair have one LACP address, and one key for one id (E-nvue-mlag).
  partner.system = as_one ? to_lower(pair) : mac_of("");
  partner.key = static_cast<std::uint32_t>(hash_of(as_one ? "mlag " + id : bond) % kKeys + 1);
  partner.port = static_cast<std::uint32_t>(hash_of(name().str() + port) % kKeys + 1);
  partner.fast = nvue::word_at(applied(), {"interface", bond, "bond", "lacp-rate"}) != "slow";
  return partner;
}

std::optional<SwitchPort> NvueMachine::switch_port(std::string_view written) const {
  const auto parsed = fabric::SwitchPort::parse(written);
  const std::string port =
      platform == Platform::cumulus && parsed && parsed->form == fabric::SwitchPort::Form::numbers
          ? fmt::format("swp{}", parsed->numbers.back())
          : std::string{written};
  SwitchPort found;
  found.enabled = nvue::word_at(applied(), {"interface", port, "link", "state"}) != "down";
  if (platform == Platform::nvos) return found;
  const std::string bond = bond_of(port);
  if (!bond.empty()) found.channel = static_cast<std::uint32_t>(hash_of(bond) % 1'000'000);
  found.lacp = lacp_of(port, bond);
  found.mtu = mtu_of(port);
  const std::string& bridged = bond.empty() ? port : bond;
  const Map& map =
      or_null(nvue::find(applied(), {"interface", bridged, "bridge", "domain"})).members();
  found.forwards = !map.empty();
  found.vlans.emplace();
  if (found.forwards) {
    // The port's own settings count: `access` takes no tags, a list of its own takes those.
    const Value& own = map.begin()->second;
    for (const char* key : {"access", "untagged"})
      if (const auto id = parse_integer(nvue::word_at(own, {key})))
        found.untagged = static_cast<std::uint32_t>(*id);
    const Value* vlans = own.find("vlan");
    if (vlans == nullptr || vlans->find("all") != nullptr)
      vlans = nvue::find(applied(), {"bridge", "domain", map.begin()->first, "vlan"});
    if (own.find("access") == nullptr && vlans != nullptr && vlans->as_map() != nullptr) {
      for (const auto& [id, each] : *vlans->as_map())
        found.vlans->insert(static_cast<std::uint32_t>(parse_unsigned(id, 10).value_or(0)));
    }
  }
  for (const char* family : {"ip", "ipv4"}) {
    const Map& own =
        or_null(nvue::find(applied(), {"interface", port, family, "address"})).members();
    if (own.empty() || found.forwards) continue;
    found.address = IpPrefix::parse(own.begin()->first);
    found.mac = mac_of(port);
  }
  if (runs_service("lldpd")) {
    found.lldp = LldpSender{
        mac_of("eth0"),
        state.hostname,
        "Cumulus Linux version 5.9.1 running on Mellanox",
        mac_of(port),
        port,
        port};
  }
  return found;
}

namespace {

std::unique_ptr<Machine> make(
    const NodeSpec& node, const LabHost& host, std::uint64_t seed, Platform platform) {
  auto machine = std::make_unique<NvueMachine>(profile_of(node, host), seed, platform);
  machine->named_ports = host.named_ports;
  machine->epoch = kEpochMilliseconds;
  machine->state.files.set_time(kEpochMilliseconds);
  install_base_system(*machine);
  if (platform == Platform::cumulus) {
    machine->state.files.install(
        "/etc/os-release",
        "NAME=\"Cumulus Linux\"\nVERSION_ID=5.9.1\nVERSION=\"Cumulus Linux 5.9.1\"\n"
        "PRETTY_NAME=\"Cumulus Linux\"\nID=cumulus-linux\nID_LIKE=debian\n");
  }
  nvue::set(machine->nvue.startup, {"system", "hostname", node.name.str()});
  const auto seeded = host.files.find(kSeed);
  for (const auto& [path, content] : host.files)
    if (path != kSeed) machine->state.files.install(path, content);
  if (seeded == host.files.end()) return machine;
  for (const std::string_view line : split_lines(std::string_view{seeded->second})) {
    const auto words = split_words(line);
    constexpr std::size_t kVerb = 2;  // "nv set"
    if (words.size() <= kVerb) continue;
    nvue::set(machine->nvue.startup, {words.begin() + kVerb, words.end()});
  }
  return machine;
}

}  // namespace

std::unique_ptr<Machine> make_cumulus_machine(
    const NodeSpec& node, const LabHost& host, std::uint64_t seed) {
  return make(node, host, seed, Platform::cumulus);
}

std::unique_ptr<Machine> make_nvos_machine(
    const NodeSpec& node, const LabHost& host, std::uint64_t seed) {
  return make(node, host, seed, Platform::nvos);
}

}  // namespace fabric::lab
