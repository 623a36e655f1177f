// SPDX-License-Identifier: Apache-2.0
#include "providers/linux/lab/commands/service_commands.hpp"

#include <algorithm>
#include <array>
#include <map>

#include <fmt/format.h>

#include "providers/linux/lab/services/manager_units.hpp"
#include "providers/linux/lab/services/subnet_manager.hpp"
#include "providers/linux/lab/services/unit_files.hpp"
#include "providers/linux/lab/shell/pattern.hpp"

namespace fabric::lab::commands {
namespace {

// NOLINTNEXTLINE(misc-no-recursion): bounded by the depth of processes
bool prepare(Process& process, const std::string& unit) {
  for (std::string line : manager_preparations(process.machine(), unit)) {
    const bool may_fail = line.starts_with('-');
    if (may_fail) line.erase(0, 1);
    // Its output goes to the journal.
    Process preparation = process;
    const Handle log = process.session.open_buffer("");
    preparation.descriptors = {{0, log}, {1, log}, {2, log}};
    preparation.depth = process.depth + 1;
    if (run_script(preparation, line, "sh", {}) != 0 && !may_fail) return false;
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

// Those that systemd has loaded: a unit file that nothing has started is none of them.
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

}  // namespace

// NOLINTNEXTLINE(misc-no-recursion): bounded by the depth of processes
int change_manager(Process& process, const std::string& verb, const std::string& unit) {
  LinuxHost& machine = process.machine();
  if (verb == "stop") {
    stop_manager(machine, unit);
    return 0;
  }
  if (verb == "reset-failed" || verb == "enable" || verb == "disable") return 0;
  if (verb == "reload") {
    process.err(fmt::format(
        "Failed to reload {0}: Job type reload is not applicable for unit {0}.\n", unit));
    return 1;
  }
  const bool there = has_manager(machine, unit);
  if (verb == "start" && there) return 0;
  if (verb.starts_with("try-") && !there) return 0;
  stop_manager(machine, unit);
  if (!prepare(process, unit)) {
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

bool change_managers(Process& process, bool stop, bool start) {
  if (stop) stop_package_managers(process.machine());
  return start && start_package_managers(process.machine());
}

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

int list_units(Process& process, const std::vector<std::string>& patterns, bool all, bool legend) {
  UnitLines lines = loaded_units(process.machine());
  std::erase_if(lines, [&](const auto& line) {
    const bool named =
        patterns.empty() || std::any_of(patterns.begin(), patterns.end(), [&](const auto& pattern) {
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

}  // namespace fabric::lab::commands
