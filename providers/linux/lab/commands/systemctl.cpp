// SPDX-License-Identifier: Apache-2.0
// systemctl
#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "providers/linux/lab/commands/families.hpp"
#include "providers/linux/lab/commands/options.hpp"
#include "providers/linux/lab/kernel/links.hpp"
#include "providers/linux/lab/network/ifupdown.hpp"
#include "providers/linux/lab/network/network_files.hpp"
#include "providers/linux/lab/network/network_manager.hpp"
#include "providers/linux/lab/network/network_scripts.hpp"
#include "providers/linux/lab/network/networkd.hpp"
#include "providers/linux/lab/services/subnet_manager.hpp"
#include "providers/linux/lab/services/unit_files.hpp"
#include "providers/linux/lab/shell/pattern.hpp"
#include "providers/linux/lab/shell/process.hpp"

namespace fabric::lab::commands {

namespace {

// systemctl for services that stay, and its list of units.

// NOLINTNEXTLINE(misc-no-recursion): bounded by the depth of processes
bool run_all(
    Process& process, const std::vector<std::string>& lines, const Environment& environment = {}) {
  for (std::string line : lines) {
    const bool may_fail = line.starts_with('-');
    if (may_fail) line.erase(0, 1);
    // The child's output goes to the journal.
    Process child = process;
    const Handle log = process.session.open_buffer("");
    child.descriptors = {{0, log}, {1, log}, {2, log}};
    child.depth = process.depth + 1;
    for (const auto& [name, value] : environment)
      child.environment.insert_or_assign(name, value);
    if (run_script(child, line, "sh", {}) != 0 && !may_fail) return false;
  }
  return true;
}

struct UnitLine {
  std::string active, sub, description;
};
using UnitLines = std::map<std::string, UnitLine>;

std::string description_of(const LinuxHost& machine, const std::string& unit) {
  const std::vector<std::string> written = unit_settings(machine, unit, "Unit", "Description");
  return written.empty() ? unit : written.back();
}

// The units that systemd has loaded, without unit files that nothing has started.
UnitLines loaded_units(const LinuxHost& machine) {
  UnitLines lines;
  for (const auto& [name, service] : machine.state.services) {
    if (!service.installed) continue;
    const std::string unit = unit_full_name(name);
    const bool stays = name != "opensm" && name != "systemd-sysctl";
    const char* sub = !service.active ? "dead" : stays ? "running" : "exited";
    lines[unit] = {service.active ? "active" : "inactive", sub, description_of(machine, unit)};
  }
  for (const auto& [unit, due] : machine.state.waiting_units) {
    const bool timer = unit.ends_with(".timer");
    lines[unit] = {
        timer ? "active" : "activating",
        timer ? "waiting" : "start",
        description_of(machine, unit)};
  }
  for (const auto& [unit, manager] : machine.state.managers) {
    const bool runs = manager_runs(machine, unit);
    lines[unit] = {
        runs ? "active" : "activating",
        runs ? "running" : "auto-restart",
        description_of(machine, unit)};
  }
  return lines;
}

// NOLINTNEXTLINE(misc-no-recursion): bounded by the depth of processes
// start, stop, restart ... of a unit that runs OpenSM. `unit` with its suffix.
int change_manager(Process& process, const std::string& verb, const std::string& unit) {
  LinuxHost& machine = process.machine();
  if (verb == "stop") {
    stop_manager(machine, unit);
    return 0;
  }
  if (verb == "reset-failed" || verb == "enable" || verb == "disable") return 0;
  const bool there = has_manager(machine, unit);
  if (verb == "reload") {
    const std::vector<std::string> commands = manager_commands(machine, unit, "ExecReload");
    if (commands.empty() || !there) {
      process.err(fmt::format(
          "Failed to reload {0}: {1} {0}.\n",
          unit,
          there ? "Job type reload is not applicable for unit" : "Unit is not active:"));
      return 1;
    }
    const std::uint64_t number = process_number(machine.state.managers.at(unit));
    return run_all(process, commands, {{"MAINPID", std::to_string(number)}}) ? 0 : 1;
  }
  if (verb == "start" && there) return 0;
  if (verb.starts_with("try-") && !there) return 0;
  stop_manager(machine, unit);
  if (!run_all(process, manager_commands(machine, unit, "ExecStartPre"))) {
    process.err(fmt::format(
        "Job for {0} failed because the control process exited with error code.\n"
        "See \"systemctl status {0}\" and \"journalctl -xeu {0}\" for details.\n",
        unit));
    return 1;
  }
  start_manager_unit(machine, unit);
  process.session.pass(Duration{100});
  return 0;
}

// The package's opensm.service stops or starts: so do its instances, which are part of it.
// False: it is not active then.
bool change_managers(Process& process, bool stop, bool start) {
  if (stop) stop_package_managers(process.machine());
  return start && start_package_managers(process.machine());
}

// A pattern means the loaded units that it matches, which may be none.
std::vector<std::string> units_meant(
    const LinuxHost& machine, const std::vector<std::string>& operands) {
  std::vector<std::string> units;
  for (const std::string& operand : operands) {
    if (!shell::has_wildcard(operand)) {
      units.push_back(operand);
      continue;
    }
    for (const auto& [unit, line] : loaded_units(machine)) {
      if (shell::matches(operand, unit)) units.push_back(unit);
    }
  }
  return units;
}

// `patterns` empty: all. Without `all` those that are active.
int list_units(Process& process, const std::vector<std::string>& patterns, bool all, bool legend) {
  UnitLines lines = loaded_units(process.machine());
  std::erase_if(lines, [&](const auto& line) {
    const bool named = patterns.empty() || std::ranges::any_of(patterns, [&](const auto& pattern) {
                         return shell::matches(pattern, line.first);
                       });
    return !named || (!all && line.second.active != "active");
  });
  std::array<std::size_t, 3> widths{4, 6, 3};
  for (const auto& [unit, line] : lines) {
    widths[0] = std::max(widths[0], unit.size());
    widths[1] = std::max(widths[1], line.active.size());
    widths[2] = std::max(widths[2], line.sub.size());
  }
  const auto print = [&](const std::string& unit, const std::string& load, const UnitLine& line) {
    process.out(fmt::format(
        "{:<{}} {:<6} {:<{}} {:<{}} {}\n",
        unit,
        widths[0],
        load,
        line.active,
        widths[1],
        line.sub,
        widths[2],
        line.description));
  };
  if (legend) print("UNIT", "LOAD", {"ACTIVE", "SUB", "DESCRIPTION"});
  for (const auto& [unit, line] : lines)
    print(unit, "loaded", line);
  if (legend) process.out(fmt::format("\n{} loaded units listed.\n", lines.size()));
  return 0;
}

std::string unit_name(std::string unit) {
  constexpr std::string_view kSuffix = ".service";
  const bool suffixed = unit.size() > kSuffix.size() &&
                        unit.compare(unit.size() - kSuffix.size(), kSuffix.size(), kSuffix) == 0;
  if (suffixed) unit.resize(unit.size() - kSuffix.size());
  return unit == "sshd" ? "ssh" : unit;
}

// NOLINTNEXTLINE(misc-no-recursion): bounded by the depth of processes
void restart_networking(Process& process, bool down, bool up) {
  const IfupdownFile file = read_interfaces(process.files());
  if (down) {
    for (const std::string& name : read_ifstate(process.files())) {
      if (name != "lo") bring_down(process, file, name);
    }
  }
  const std::vector<std::string> state = read_ifstate(process.files());
  for (const std::string& name : file.automatic) {
    if (up && std::ranges::find(state, name) == state.end()) bring_up(process, file, name);
  }
}

int enable_unit(Process& process, const std::string& verb, const std::string& unit) {
  const auto link = unit_link(process.machine(), unit);
  if (!link) {
    process.err("The unit files have no installation config (WantedBy=, RequiredBy=, Also=,\n");
    return 0;
  }
  const auto& [path, target] = *link;
  FileTree& files = process.files();
  if (verb == "disable") {
    if (files.remove(path, "root") == FileError::none) process.err("Removed \"" + path + "\".\n");
    return 0;
  }
  if (files.find(path, Follow::no) != nullptr) return 0;
  const std::string folder = path.substr(0, path.rfind('/'));
  if (files.find(folder) == nullptr) files.make_directory(folder, "root", 0755);
  if (files.symlink(target, path, "root") != FileError::none) return 1;
  process.err("Created symlink " + path + " -> " + target + ".\n");
  return 0;
}

// Changes a unit that a user wrote. With `wait` its service runs at once.
// NOLINTNEXTLINE(misc-no-recursion): bounded by the depth of processes
int change_unit(Process& process, const std::string& verb, const std::string& unit, bool wait) {
  LinuxHost& machine = process.machine();
  if (verb == "enable" || verb == "disable") return enable_unit(process, verb, unit);
  if (is_manager_unit(machine, unit) && (wait || verb == "stop"))
    return change_manager(process, verb, unit_full_name(unit));
  if (verb == "stop") {
    stop_unit(machine, unit);
  } else if (wait && !unit.ends_with(".timer")) {
    return run_script(process, unit_command(machine, unit), "sh", {});
  } else if (verb != "reset-failed") {
    start_unit(machine, unit);
  }
  return 0;
}

// NOLINTNEXTLINE(misc-no-recursion): bounded by the depth of processes
int change_service(Process& process, const std::string& verb, const std::string& given) {
  LinuxHost& machine = process.machine();
  const std::string unit = unit_name(given);
  const auto found = machine.state.services.find(unit);
  if (process.root() && is_manager_unit(machine, unit))
    return change_manager(process, verb, unit_full_name(unit));
  if (found == machine.state.services.end() || !found->second.installed) {
    if (verb == "reset-failed") return 0;
    process.err(
        fmt::format("Failed to {} {}.service: Unit {}.service not found.\n", verb, unit, unit));
    return 5;
  }
  if (!process.root()) {
    process.err(
        fmt::format("Failed to {} {}.service: Interactive authentication required.\n", verb, unit));
    return 4;
  }
  Service& service = found->second;
  machine.note_change();
  if (verb == "enable" || verb == "disable") {
    service.enabled = verb == "enable";
    return 0;
  }
  const bool stops = verb == "stop" || verb.find("restart") != std::string::npos;
  const bool starts = verb != "stop";
  if (unit == "systemd-networkd" && starts) networkd_start(machine, process.session.network);
  if (unit == "networking") restart_networking(process, stops, starts);
  if (unit == "network" && stops) stop_network_scripts(process);
  if (unit == "network" && starts) start_network_scripts(process);
  if (unit == kNetworkManagerUnit && starts && (stops || !service.active))
    network_manager_start(machine, process.session.network);
  if (unit == "systemd-networkd" || unit == "networking" || unit == "network" ||
      unit == kNetworkManagerUnit)
    note_network_in_force(machine);
  if (unit == "systemd-sysctl" && starts) {
    for (const SysctlLine& line : sysctl_lines(machine))
      apply_sysctl(machine, line);
  }
  process.session.pass(Duration{100});
  service.active = starts;
  if (unit == package_manager_service(machine))
    service.active = change_managers(process, stops, starts);
  return 0;
}

// NOLINTNEXTLINE(misc-no-recursion): bounded by the depth of processes
int change(Process& process, const std::string& verb, const std::string& unit, bool wait) {
  if (process.root() && has_unit_file(process.machine(), unit))
    return change_unit(process, verb, unit, wait);
  return change_service(process, verb, unit);
}

std::string state_text(const LinuxHost& machine, const std::string& given, bool enabled) {
  if (!enabled && is_manager_unit(machine, given)) {
    const std::string name = unit_full_name(given);
    return manager_runs(machine, name)  ? "active"
           : has_manager(machine, name) ? "activating"
                                        : "inactive";
  }
  if (has_unit_file(machine, given)) {
    if (enabled) return unit_enabled(machine, given) ? "enabled" : "disabled";
    return unit_waits(machine, given) ? "active" : "inactive";
  }
  const auto found = machine.state.services.find(unit_name(given));
  if (found == machine.state.services.end() || !found->second.installed)
    return enabled ? "" : "inactive";
  if (enabled) return found->second.enabled ? "enabled" : "disabled";
  return found->second.active ? "active" : "inactive";
}

int show_states(Process& process, const std::vector<std::string>& units, bool enabled, bool quiet) {
  int status = enabled ? 1 : 3;
  for (const std::string& unit : units) {
    const std::string state = state_text(process.machine(), unit, enabled);
    if (state.empty())
      process.err(fmt::format(
          "Failed to get unit file state for {}.service: No such file or directory\n",
          unit_name(unit)));
    if (!state.empty() && !quiet) process.out(state + "\n");
    if (state == "active" || state == "enabled") status = 0;
  }
  return status;
}

int show_status(Process& process, const std::vector<std::string>& units) {
  for (const std::string& unit : units) {
    const std::string state = state_text(process.machine(), unit, false);
    process.out(fmt::format(
        "* {}.service\n     Active: {}\n",
        unit_name(unit),
        state == "active" ? "active (running)" : "inactive (dead)"));
  }
  return show_states(process, units, false, true);
}

}  // namespace

// NOLINTNEXTLINE(misc-no-recursion): bounded by the depth of processes
int systemctl(Process& process) {
  const std::optional<Options> options = parse_options(
      process,
      {.flags = "qfi",
       .valued = "p",
       .long_flags =
           {"quiet",
            "now",
            "no-block",
            "no-reload",
            "no-pager",
            "force",
            "no-ask-password",
            "no-wall",
            "all",
            "plain",
            "no-legend"},
       .long_valued = {"property", "message"}});
  if (!options) return 1;
  if (options->operands.empty()) return 0;
  const std::string verb = options->operands[0];
  const std::vector<std::string> operands{options->operands.begin() + 1, options->operands.end()};
  if (verb == "list-units")
    return list_units(process, operands, options->has("all"), !options->has("no-legend"));
  const std::vector<std::string> units = units_meant(process.machine(), operands);
  if (verb == "reboot") return reboot(process);
  if (verb == "is-active" || verb == "is-enabled") {
    return show_states(
        process, units, verb == "is-enabled", options->has("q") || options->has("quiet"));
  }
  if (verb == "is-system-running") {
    process.out("running\n");
    return 0;
  }
  if (verb == "daemon-reload") return 0;
  if (verb == "status") return show_status(process, units);
  constexpr std::array<std::string_view, 10> kChanges = {
      "start",
      "stop",
      "restart",
      "try-restart",
      "reload",
      "reload-or-restart",
      "enable",
      "disable",
      "reset-failed",
      "try-reload-or-restart"};
  if (std::ranges::find(kChanges, verb) == kChanges.end()) {
    process.err(fmt::format("Unknown command verb {}.\n", verb));
    return 1;
  }
  int status = 0;
  const bool wait = !options->has("no-block");
  for (const std::string& unit : units) {
    status = std::max(status, change(process, verb, unit, wait));
    if (options->has("now") && (verb == "enable" || verb == "disable")) {
      status = std::max(status, change(process, verb == "enable" ? "start" : "stop", unit, wait));
    }
  }
  return status;
}

}  // namespace fabric::lab::commands
