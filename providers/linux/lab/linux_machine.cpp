// SPDX-License-Identifier: Apache-2.0
#include "providers/linux/lab/linux_machine.hpp"

#include <fmt/format.h>

#include "engine/base/check.hpp"
#include "providers/linux/lab/kernel/bonding.hpp"
#include "providers/linux/lab/kernel/ipoib.hpp"
#include "providers/linux/lab/programs.hpp"
#include "providers/linux/lab/services/manager_log.hpp"
#include "providers/linux/lab/services/unit_files.hpp"
#include "providers/linux/lab/shell/process.hpp"
#include "providers/linux/lab/system/boot.hpp"

namespace fabric::lab {
namespace {

constexpr Duration kRoundTrip{2};
constexpr std::string_view kRootPath =
    "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";
constexpr std::string_view kUserPath =
    "/usr/local/bin:/usr/bin:/bin:/usr/games";  // as sshd sets it: no sbin

// `connection`: where the session comes from and where it came in by.
Environment login_environment(std::string_view user, const std::string& connection) {
  const bool root = user == "root";
  return {
      {"HOME", root ? "/root" : "/home/" + std::string{user}},
      {"LANG", "C.UTF-8"},
      {"LOGNAME", std::string{user}},
      {"PATH", std::string{root ? kRootPath : kUserPath}},
      {"SHELL", "/bin/sh"},
      {"SSH_CONNECTION", connection},
      {"USER", std::string{user}}};
}

std::string interface_text(const LinuxHost& machine, const Interface& interface) {
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

struct SavedLinux final : SavedState {
  explicit SavedLinux(MachineState saved) : state{std::move(saved)} {}
  MachineState state;
};

}  // namespace

LinuxMachine::LinuxMachine(MachineProfile given, std::uint64_t seed)
    : LinuxMachine{std::move(given), seed, linux_programs()} {}

LinuxMachine::LinuxMachine(MachineProfile given, std::uint64_t seed, const ProgramTable& with)
    : LinuxHost{std::move(given), seed, with}, forgetting_{seed ^ 0x666f'7267'6574'0000} {}

void LinuxMachine::set_time() {
  state.files.set_time(unix_milliseconds());
  state.files.write_back(now.time_since_epoch().count());
}

std::unique_ptr<SavedState> LinuxMachine::save() const {
  return std::make_unique<SavedLinux>(state);
}

void LinuxMachine::restore(std::unique_ptr<SavedState> saved) {
  auto* mine = dynamic_cast<SavedLinux*>(saved.get());
  FABRIC_CHECK(mine != nullptr, "what is restored was saved by this machine");
  state = std::move(mine->state);
}

std::string LinuxMachine::state_text() const {
  std::string text = "hostname " + state.hostname + "\n";
  state.files.visit_persistent([&](const std::string& path, const Inode& file) {
    const bool log = path.rfind("/var/log/", 0) == 0;
    if (!log && file.kind != FileKind::program) {
      text +=
          fmt::format("{} {:o} {}:{} {}\n", path, file.mode, file.owner, file.group, file.content);
    }
  });
  for (const Interface& interface : state.interfaces)
    text += interface_text(*this, interface);
  for (const RoutingRule& rule : state.rules)
    text += fmt::format("rule {} {}{} {}\n", rule.priority, rule.incoming, rule.from, rule.table);
  for (const auto& [path, value] : state.sysctls)
    text += fmt::format("sysctl {} {}\n", path, value);
  for (const auto& [module, values] : state.modules) {
    text += "module " + module + "\n";
    for (const auto& [name, value] : values)
      text += fmt::format("{}={}\n", name, value);
  }
  for (const auto& [unit, service] : state.services) {
    text += fmt::format("service {} {} {}\n", unit, service.active, service.enabled);
  }
  for (const auto& [unit, process] : state.managers) {
    text += fmt::format(
        "manager {} {:x} {} {}\n",
        unit,
        process.guid,
        process.priority,
        process.partitions.value_or("-"));
  }
  for (const Card& card : state.cards) {
    text += fmt::format("card {} {} {}\n", card.pci, card.firmware, card.flash());
    for (const auto& [name, setting] : card.settings) {
      text += fmt::format("{} {} {}\n", name, setting.current, setting.next);
    }
  }
  return text;
}

// The host key is made with the machine, as its machine id is.
std::string LinuxMachine::identity() const {
  return read_file("/etc/machine-id").value_or("").substr(0, 32);
}

void LinuxMachine::boot(const Network& network) {
  start_clock();
  set_time();
  lab::boot(*this, network);
}

void LinuxMachine::settle(const Network& network, std::int64_t unix_milliseconds) {
  settle_bonds(*this, network);
  settle_ipoib(*this, network);
  settle_managers(*this, network, unix_milliseconds);
}

std::optional<TimePoint> LinuxMachine::next_event() const {
  const auto unit = next_unit(*this);
  return unit ? std::optional{unit->first} : std::nullopt;
}

void LinuxMachine::on_event(const Network& network) {
  const auto unit = next_unit(*this);
  FABRIC_CHECK(unit.has_value(), "an event of a host on which nothing waits");
  set_time();
  const std::string command = take_unit(*this, unit->second);
  if (!command.empty()) exec(network, "root", command, "");
}

MachineReply LinuxMachine::exec(
    const Network& network, std::string_view user, std::string_view line, std::string_view input) {
  set_time();
  Session session{*this, network};
  const Handle in = session.open_buffer(std::string{input});
  const Handle out = session.open_buffer("");
  const Handle err = session.open_buffer("");
  session.pass(kRoundTrip);
  const std::string client = profile.client.empty() ? "192.0.2.254" : profile.client;
  const Environment environment =
      login_environment(user, fmt::format("{} 50022 {} 22", client, profile.address));
  Process process{
      session,
      {"sh"},
      environment,
      {{0, in}, {1, out}, {2, err}},
      std::string{user},
      environment.at("HOME")};
  MachineReply reply;
  reply.exit_status = run_script(process, line, "sh", {});
  reply.standard_output = std::move(session.file(out).data);
  reply.standard_error = std::move(session.file(err).data);
  reply.took = session.elapsed;
  return reply;
}

bool LinuxMachine::reads_input(std::string_view line) const {
  return line == "sh" || line.ends_with(" sh") || line.find("sh -s") != std::string_view::npos ||
         line.find("cat >") != std::string_view::npos;
}

void LinuxMachine::order_reboot(const Network& network) {
  exec(network, "root", "systemctl reboot", "");
}

std::optional<std::string> LinuxMachine::read_file(std::string_view path) const {
  std::string content;
  if (state.files.read(path, "root", content) != FileError::none) return std::nullopt;
  return content;
}

std::vector<std::string> LinuxMachine::touched_files() const {
  return {state.files.touched().begin(), state.files.touched().end()};
}

}  // namespace fabric::lab
