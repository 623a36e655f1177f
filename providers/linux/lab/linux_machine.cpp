// SPDX-License-Identifier: Apache-2.0
#include "providers/linux/lab/linux_machine.hpp"

#include <algorithm>
#include <functional>

#include <fmt/format.h>

#include "engine/base/check.hpp"
#include "engine/base/text.hpp"
#include "engine/lab/machine/network.hpp"
#include "providers/linux/lab/kernel/bonding.hpp"
#include "providers/linux/lab/kernel/interfaces.hpp"
#include "providers/linux/lab/kernel/ipoib.hpp"
#include "providers/linux/lab/kernel/links.hpp"
#include "providers/linux/lab/kernel/modules.hpp"
#include "providers/linux/lab/kernel/ports.hpp"
#include "providers/linux/lab/kernel/udev_rules.hpp"
#include "providers/linux/lab/network/ifupdown.hpp"
#include "providers/linux/lab/network/netplan.hpp"
#include "providers/linux/lab/network/network_files.hpp"
#include "providers/linux/lab/network/network_manager.hpp"
#include "providers/linux/lab/network/network_scripts.hpp"
#include "providers/linux/lab/network/networkd.hpp"
#include "providers/linux/lab/programs.hpp"
#include "providers/linux/lab/services/subnet_manager.hpp"
#include "providers/linux/lab/services/unit_files.hpp"
#include "providers/linux/lab/shell/process.hpp"

namespace fabric::lab {
namespace {

void forget_runtime(LinuxHost& machine) {
  MachineState& state = machine.state;
  state.interfaces.clear();
  state.routes.clear();
  state.rules.clear();
  state.networkd.clear();
  state.netdevs.clear();
  state.netdevs_made_again.clear();
  state.managers.clear();
  state.network_manager = {};
  state.mst_started = false;
  state.sysctls = {
      {"kernel/pid_max", "4194304"},
      {"net/core/rmem_max", "212992"},
      {"net/core/wmem_max", "212992"},
      {"net/core/rmem_default", "212992"},
      {"net/core/wmem_default", "212992"},
      {"net/core/optmem_max", "20480"},
      {"net/core/netdev_max_backlog", "1000"},
      {"net/ipv4/fib_multipath_hash_policy", "0"},
      {"net/ipv4/ip_forward", "0"},
      {"net/ipv4/tcp_rmem", "4096\t131072\t6291456"},
      {"net/ipv4/tcp_wmem", "4096\t16384\t4194304"},
      {"net/ipv4/tcp_adv_win_scale", "1"},
      {"net/ipv4/tcp_low_latency", "0"},
      {"net/ipv4/tcp_timestamps", "1"},
      {"net/ipv4/tcp_sack", "1"},
      {"net/ipv4/tcp_mtu_probing", "0"},
      {"vm/nr_hugepages", "0"},
      {"vm/swappiness", "60"},
      {"vm/zone_reclaim_mode", "0"}};
  for (const std::string_view scope : {"all", "default"})
    make_interface_sysctls(machine, std::string{scope});
  for (const std::string_view root : {"/run", "/tmp", "/dev", "/proc", "/sys"}) {
    state.files.install_directory(root);
    state.files.erase_all_below(root);
  }
  state.files.install_null_device("/dev/null");
  state.files.install_directory("/run/systemd/network");
  state.files.install_directory("/run/systemd/system");  // how one tells that systemd runs
  state.files.install_directory("/run/network");
  // A generator of systemd, before udev and everything else. With a file that it can't read it
  // makes none.
  if (state.files.find("/usr/sbin/netplan") != nullptr) netplan_generate(machine);
  std::string hostname;
  if (state.files.read("/etc/hostname", "root", hostname) == FileError::none)
    state.hostname = trim(hostname);
}

// `types` by port, of every ConnectX-3: "2" is Ethernet.
void set_mlx4_port_types(LinuxHost& machine, const std::vector<std::string_view>& types) {
  for (Card& card : machine.state.cards) {
    if (!card.mlx4()) continue;
    for (std::size_t i = 0; i < std::min(card.ports.size(), types.size()); ++i)
      card.ports[i].link_type = types[i] == "2" ? LinkType::ethernet : LinkType::infiniband;
  }
}

void make_board_interfaces(LinuxHost& machine) {
  Interface loopback;
  loopback.name = "lo";
  loopback.loopback = true;
  loopback.mac = loopback.permanent_mac = "00:00:00:00:00:00";
  loopback.mtu = loopback.mtu_most = 65536;
  loopback.up = true;
  loopback.addresses.push_back(*IpPrefix::parse("127.0.0.1/8"));
  add_interface(machine, std::move(loopback));
  Interface management;
  management.name = "eno1";
  std::string machine_id;
  machine.state.files.read("/etc/machine-id", "root", machine_id);
  const std::uint64_t low = parse_unsigned(machine_id.substr(0, 6), 16).value_or(1);
  management.mac = management.permanent_mac = mac_text((std::uint64_t{0xac1f6b} << 24U) | low);
  management.mtu_most = 9000;
  add_interface(machine, std::move(management));
}

// $name as udev puts it in.
std::string with_name(std::string command, const std::string& interface) {
  constexpr std::string_view kName = "$name";
  for (std::size_t at = command.find(kName); at != std::string::npos; at = command.find(kName, at))
    command.replace(at, kName.size(), interface);
  return command;
}

void as_root(
    LinuxHost& machine,
    const Network& network,
    const std::string& program,
    const std::function<void(Process&)>& work) {
  Session session{machine, network};
  const Handle nothing = session.open_buffer("");
  const Handle log = session.open_buffer("");
  Process process{
      session,
      {program},
      {{"PATH", "/usr/sbin:/usr/bin:/sbin:/bin"}},
      {{0, nothing}, {1, log}, {2, log}},
      "root"};
  work(process);
}

void run_as_root(LinuxHost& machine, const Network& network, const std::string& script) {
  as_root(machine, network, "systemd", [&](Process& process) {
    run_script(process, script, "sh", {});
  });
}

// Starts OpenSM as systemd does once the devices exist. The distribution's own service starts too:
// on these hosts some unit wants network-online.target.
void start_managers(LinuxHost& machine, const Network& network) {
  std::vector<std::string> units;
  const auto package = machine.state.services.find(std::string{package_manager_service(machine)});
  if (package != machine.state.services.end() && package->second.enabled)
    units.push_back(package->first + ".service");
  for (const std::string& device : management_devices_of(machine)) {
    for (std::string& unit : units_wanted_by(machine, "infiniband_mad", device))
      units.push_back(std::move(unit));
  }
  if (units.empty()) return;
  run_as_root(machine, network, "systemctl start " + join(units, " "));
}

void start_networking(LinuxHost& machine, const Network& network) {
  const auto enabled = [&](const std::string& unit) {
    return machine.state.services[unit].enabled;
  };
  if (enabled("systemd-networkd")) networkd_start(machine, network);
  if (enabled(kNetworkManagerUnit)) network_manager_start(machine, network);
  const bool scripts = enabled("network");
  if (!enabled("networking") && !scripts) return;
  as_root(machine, network, "ifup", [&](Process& process) {
    if (scripts) return start_network_scripts(process);
    const IfupdownFile file = read_interfaces(machine.state.files);
    std::vector<std::string> names = file.automatic;
    for (const std::string& name : file.hotplug) {
      if (machine.find_interface(name) != nullptr) names.push_back(name);
    }
    for (const std::string& name : names)
      bring_up(process, file, name);
  });
}

// Firmware loads its settings, the kernel makes the interfaces, udev names them, sysctl.d and the
// network back end configure them. Runs scripts of the back end (ifupdown's `up` lines).
void boot(LinuxHost& machine, const Network& network) {
  forget_runtime(machine);
  machine.state.boot_id = make_uuid(machine.random, machine.boots_from);
  for (Card& card : machine.state.cards)
    load_settings(card);
  load_boot_modules(machine);
  if (const std::string types = boot_option(machine, "mlx4_core", "port_type_array");
      !types.empty())
    set_mlx4_port_types(machine, split(types, ','));
  make_board_interfaces(machine);
  for (std::size_t card = 0; card < machine.state.cards.size(); ++card)
    make_card_interfaces(machine, card);
  apply_all_sysctls(machine, "");
  if (machine.state.modules.contains("bonding")) make_bonds_of_module(machine, network);
  show_interfaces(machine, network);
  std::vector<std::string> wanted;
  for (const Interface& interface : machine.state.interfaces) {
    const UdevVerdict verdict = judge_by_rules(machine, interface);
    write_attributes(machine, interface.name, verdict);
    for (const std::string& command : verdict.runs)
      run_as_root(machine, network, with_name(command, interface.name));
    wanted.insert(wanted.end(), verdict.wants.begin(), verdict.wants.end());
  }
  for (const std::string& unit : wanted)
    run_as_root(machine, network, "systemctl start " + unit);
  for (auto& [unit, service] : machine.state.services)
    service.active = service.installed && service.enabled;
  start_networking(machine, network);
  settle_bonds(machine, network);
  settle_ipoib(machine, network);
  note_network_in_force(machine);
  start_managers(machine, network);
  start_wanted_timers(machine);
}

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
    text += fmt::format(
        "ipoib {} {} {} {}\n",
        interface.ipoib->connected,
        interface.ipoib->wished_mtu,
        interface.ipoib->key,
        interface.ipoib->parent);
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
