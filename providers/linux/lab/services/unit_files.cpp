// SPDX-License-Identifier: Apache-2.0
#include "providers/linux/lab/services/unit_files.hpp"

#include <fmt/format.h>

#include "engine/base/text.hpp"
#include "providers/linux/lab/host/ini_file.hpp"
#include "providers/linux/lab/services/manager_units.hpp"

namespace fabric::lab {
namespace {

constexpr std::string_view kFolder = "/etc/systemd/system/";
constexpr std::string_view kTimer = ".timer";
constexpr std::string_view kService = ".service";
// The time until systemd has forked a service.
constexpr Duration kStartDelay{20};

std::string unit_path(std::string_view unit) {
  return std::string{kFolder} + unit_full_name(unit);
}

// The last value counts, as systemd reads a setting given twice.
std::string unit_setting(
    const LinuxHost& machine,
    std::string_view unit,
    std::string_view section,
    std::string_view key) {
  const std::vector<std::string> values = unit_settings(machine, unit, section, key);
  return values.empty() ? "" : values.back();
}

std::string service_of(const LinuxHost& machine, std::string_view timer) {
  std::string named = unit_setting(machine, timer, "Timer", "Unit");
  if (!named.empty()) return named;
  return std::string{timer.substr(0, timer.size() - kTimer.size())} + std::string{kService};
}

}  // namespace

std::string unit_full_name(std::string_view unit) {
  const bool suffixed = unit.ends_with(kTimer) || unit.ends_with(kService);
  return std::string{unit} + std::string{suffixed ? std::string_view{} : kService};
}

std::vector<std::string> unit_settings(
    const LinuxHost& machine,
    std::string_view unit,
    std::string_view section,
    std::string_view key) {
  std::string content;
  std::vector<std::string> values;
  machine.state.files.read(unit_path(unit), "root", content);
  for (const IniSection& each : parse_ini(content)) {
    if (each.name != section) continue;
    for (const auto& [name, text] : each.keys) {
      if (name == key && text.empty()) values.clear();
      if (name == key && !text.empty()) values.push_back(text);
    }
  }
  return values;
}

bool has_unit_file(const LinuxHost& machine, std::string_view unit) {
  return machine.state.files.find(unit_path(unit)) != nullptr;
}

std::string unit_command(const LinuxHost& machine, std::string_view service) {
  return unit_setting(machine, service, "Service", "ExecStart");
}

std::optional<std::pair<std::string, std::string>> unit_link(
    const LinuxHost& machine, std::string_view unit) {
  const std::string wanted_by = unit_setting(machine, unit, "Install", "WantedBy");
  if (wanted_by.empty()) return std::nullopt;
  return std::pair{
      fmt::format("{}{}.wants/{}", kFolder, wanted_by, unit_full_name(unit)), unit_path(unit)};
}

bool unit_enabled(const LinuxHost& machine, std::string_view unit) {
  const auto link = unit_link(machine, unit);
  return link && machine.state.files.find(link->first, Follow::no) != nullptr;
}

void start_unit(LinuxHost& machine, std::string_view unit) {
  const std::string name = unit_full_name(unit);
  TimePoint due = machine.now + kStartDelay;
  if (name.ends_with(kTimer)) {
    std::string seconds = unit_setting(machine, name, "Timer", "OnActiveSec");
    if (seconds.ends_with('s')) seconds.pop_back();
    const std::optional<std::int64_t> number = parse_integer(seconds);
    if (!number) return;  // a timer that never elapses
    due = machine.now + Duration{*number * 1000};
  }
  machine.state.waiting_units[name] = due;
  machine.note_change();
}

void stop_unit(LinuxHost& machine, std::string_view unit) {
  if (machine.state.waiting_units.erase(unit_full_name(unit)) > 0) machine.note_change();
}

bool unit_waits(const LinuxHost& machine, std::string_view unit) {
  return machine.state.waiting_units.contains(unit_full_name(unit));
}

void start_wanted_timers(LinuxHost& machine) {
  machine.state.waiting_units.clear();
  for (const std::string& unit :
       machine.state.files.list(fmt::format("{}timers.target.wants", kFolder))) {
    if (has_unit_file(machine, unit)) start_unit(machine, unit);
  }
}

std::optional<std::pair<TimePoint, std::string>> next_unit(const LinuxHost& machine) {
  std::optional<std::pair<TimePoint, std::string>> first;
  for (const auto& [unit, due] : machine.state.waiting_units) {
    if (!first || due < first->first) first = std::pair{due, unit};
  }
  return first;
}

std::string take_unit(LinuxHost& machine, const std::string& unit) {
  machine.state.waiting_units.erase(unit);
  const std::string service = unit.ends_with(kTimer) ? service_of(machine, unit) : unit;
  if (is_manager_unit(machine, service)) return "systemctl start " + service;
  return unit_command(machine, service);
}

}  // namespace fabric::lab
