// SPDX-License-Identifier: Apache-2.0
#include "providers/mlnx_os/lab/mlnxos_machine.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "engine/base/check.hpp"
#include "engine/base/text.hpp"
#include "providers/mlnx_os/lab/prompt.hpp"

namespace fabric::lab {

namespace {

constexpr int kPorts = 32;
constexpr int kInfinibandPorts = 40;
constexpr std::uint32_t kUsualMtu = 1500;  // E-onyx-interfaces
constexpr const char* kSaved = "initial";  // the name of the database, in `files` of lab.yaml

struct SavedOnyx final : SavedState {
  MlnxosMachine::Configuration running, saved;
  MlnxosMachine::Manager manager;
  bool wizard_answered = false;
};

MlnxosMachine::Configuration lines_of(std::string_view text) {
  MlnxosMachine::Configuration lines;
  for (const std::string_view line : split_lines(text))
    if (!trim(line).empty()) lines.emplace(trim(line));
  return lines;
}

}  // namespace

std::vector<std::string> MlnxosMachine::front_ports() const {
  std::vector<std::string> ports;
  const int count = infiniband ? kInfinibandPorts : kPorts;
  for (int number = 1; number <= count; ++number)
    ports.push_back(fmt::format("1/{}", number));
  for (const std::string& port : named_ports)
    if (std::ranges::find(ports, port) == ports.end()) ports.push_back(port);
  return ports;
}

std::optional<std::string> MlnxosMachine::after(const std::string& start) const {
  for (const std::string& line : running) {
    if (line == start) return "";
    if (line.starts_with(start + " ")) return line.substr(start.size() + 1);
  }
  return std::nullopt;
}

void MlnxosMachine::erase(const std::string& start) {
  std::erase_if(running, [&start](const std::string& line) {
    return line == start || line.starts_with(start + " ");
  });
}

std::string MlnxosMachine::channel_of(const std::string& port) const {
  const std::string interface = channel_interface_of(port);
  return interface.substr(std::min(interface.find(' ') + 1, interface.size()));
}

std::string MlnxosMachine::channel_interface_of(const std::string& port) const {
  for (const char* kind : {"", "mlag-"}) {
    const auto rest = after(fmt::format("interface ethernet {} {}channel-group", port, kind));
    if (rest) return fmt::format("{}port-channel {}", kind, split_words(*rest).front());
  }
  return {};
}

// A member runs with the MTU of its channel (E-onyx-writing).
std::uint32_t MlnxosMachine::mtu_of(const std::string& port) const {
  const std::string channel = channel_interface_of(port);
  const auto set =
      after(fmt::format("interface {} mtu", channel.empty() ? "ethernet " + port : channel));
  if (!set) return kUsualMtu;
  return static_cast<std::uint32_t>(parse_integer(split_words(*set).front()).value_or(kUsualMtu));
}

std::string MlnxosMachine::mac_of(const std::string& port) const {
  const std::uint64_t bits = hash_of(name().str() + "/" + port);
  return fmt::format(
      "7c:fe:90:{:02x}:{:02x}:{:02x}", (bits >> 16U) & 0xffU, (bits >> 8U) & 0xffU, bits & 0xffU);
}

std::optional<SwitchPort> MlnxosMachine::switch_port(std::string_view written) const {
  const std::string port{written};
  SwitchPort found;
  if (infiniband) {
    found.enabled = !running.contains("interface ib " + port + " shutdown");
    return found;
  }
  const std::string start = "interface ethernet " + port;
  const std::string channel = channel_interface_of(port);
  const std::string bridged = channel.empty() ? start : "interface " + channel;
  const bool is_pair = channel.starts_with("mlag-");
  // A channel over a pair is shut at first (E-onyx-mlag).
  const bool is_shut = running.contains(start + " shutdown") ||
                       running.contains(bridged + " shutdown") ||
                       (is_pair && !running.contains(bridged + " no shutdown"));
  found.enabled = !is_shut;
  found.mtu = mtu_of(port);
  found.forwards = !after(bridged + " no switchport");
  if (!channel.empty()) found.channel = static_cast<std::uint32_t>(hash_of(channel) % 1'000'000);
  found.lacp = lacp_of(port, channel);
  found.vlans = vlans_of(bridged);
  const auto untagged = parse_integer(after(bridged + " switchport access vlan").value_or(""));
  if (untagged) found.untagged = static_cast<std::uint32_t>(*untagged);
  // Off until a line switches it on (E-onyx-lldp).
  if (running.contains("lldp")) {
    found.lldp = LldpSender{
        mac_of(""), name().str(), "MSN2100,Onyx,SWv3.9.1014", mac_of(port), "", "Eth" + port};
  }
  return found;
}

// Both switches of a pair have one LACP address, and one key for one number.
std::optional<LacpPartner> MlnxosMachine::lacp_of(
    const std::string& port, const std::string& channel) const {
  const bool is_pair = channel.starts_with("mlag-");
  const auto mode =
      after(fmt::format("interface ethernet {} {}channel-group", port, is_pair ? "mlag-" : ""));
  if (!mode || mode->ends_with("mode on")) return std::nullopt;
  constexpr std::uint64_t kKeys = 0x7fff;
  const auto pair = after("mlag system-mac");
  LacpPartner partner;
  partner.system = is_pair && pair ? to_lower(*pair) : mac_of("");
  partner.key = static_cast<std::uint32_t>(hash_of(channel) % kKeys + 1);
  partner.port =
      static_cast<std::uint32_t>(hash_of((is_pair ? name().str() : "") + port) % kKeys + 1);
  return partner;
}

// Tags that it carries: none of an access port, all of a trunk unless they are told.
std::set<std::uint32_t> MlnxosMachine::vlans_of(const std::string& start) const {
  std::set<std::uint32_t> there;
  std::set<std::uint32_t> carried;
  for (const std::string& line : running) {
    const std::vector<std::string_view> words = split_words(std::string_view{line});
    constexpr std::size_t kWords = 2;
    if (words.size() >= kWords && words[0] == "vlan")
      there.insert(static_cast<std::uint32_t>(parse_integer(words[1]).value_or(0)));
  }
  const std::string mode = after(start + " switchport mode").value_or("access");
  if (mode != "hybrid" && mode != "trunk") return carried;
  const std::string allowed = start + " switchport " + mode + " allowed-vlan add ";
  bool is_told = mode == "hybrid";
  for (const std::string& line : running) {
    if (!line.starts_with(allowed)) continue;
    is_told = true;
    const auto id =
        static_cast<std::uint32_t>(parse_integer(line.substr(allowed.size())).value_or(0));
    if (there.contains(id)) carried.insert(id);
  }
  return is_told ? carried : there;
}

std::unique_ptr<SavedState> MlnxosMachine::save() const {
  auto copy = std::make_unique<SavedOnyx>();
  copy->manager = manager;
  copy->running = running;
  copy->saved = saved;
  copy->wizard_answered = wizard_answered;
  return copy;
}

void MlnxosMachine::restore(std::unique_ptr<SavedState> kept) {
  auto* mine = dynamic_cast<SavedOnyx*>(kept.get());
  FABRIC_CHECK(mine != nullptr, "what is restored was saved by this machine");
  running = std::move(mine->running);
  saved = std::move(mine->saved);
  manager = mine->manager;
  wizard_answered = mine->wizard_answered;
}

std::string MlnxosMachine::state_text() const {
  std::string text;
  for (const std::string& line : running)
    text += "running " + line + "\n";
  for (const std::string& line : saved)
    text += "saved " + line + "\n";
  if (manager.runs) text += manager.knows_virtual_functions ? "manager, virtual\n" : "manager\n";
  return text;
}

// Unsaved changes are lost (E-onyx-saving).
void MlnxosMachine::boot(const Network& /*network*/) {
  start_clock();
  running = saved;
  manager = {};
  note_manager();
}

// Lines that were typed and not saved.
void MlnxosMachine::prepare(const LabHost& host) {
  const auto lines = host.files.find("running");
  if (lines != host.files.end()) running = lines_of(lines->second);
  manager = {};
  manager.shown = wants_manager();
  note_manager();
  // The manager has been running for a while.
  if (manager.catches_up) catch_up();
}

void MlnxosMachine::order_reboot(const Network& /*network*/) {
  shutdown_at = now + Duration{1000};
}

// E-onyx-exec
MachineReply MlnxosMachine::exec(
    const Network& /*network*/,
    std::string_view /*user*/,
    std::string_view /*line*/,
    std::string_view /*input*/) {
  now += Duration{20};
  return {
      0,
      "Mellanox Onyx Switch Management\n"
      "UNIX shell commands cannot be executed using this account.\n",
      "",
      Duration{20}};
}

std::unique_ptr<PromptSession> MlnxosMachine::open_prompt(
    const Network& network, std::string_view /*user*/) {
  return mlnxos::open_prompt(*this, network);
}

std::unique_ptr<Machine> make_mlnxos_machine(
    const NodeSpec& node, const LabHost& host, std::uint64_t seed) {
  auto machine = std::make_unique<MlnxosMachine>(node.name, seed);
  machine->infiniband = host.infiniband;
  machine->named_ports = host.named_ports;
  machine->boots_for = host.boot_time.value_or(machine->boots_for);
  const auto saved = host.files.find(kSaved);
  if (saved == host.files.end()) {
    machine->saved.insert("lldp");
    return machine;
  }
  machine->wizard_answered = true;
  machine->saved = lines_of(saved->second);
  return machine;
}

}  // namespace fabric::lab
