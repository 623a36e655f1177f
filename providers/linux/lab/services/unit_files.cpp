// SPDX-License-Identifier: Apache-2.0
#include "providers/linux/lab/services/unit_files.hpp"

#include <span>

#include <fmt/format.h>

#include "engine/base/text.hpp"
#include "providers/linux/lab/host/ini_file.hpp"
#include "providers/linux/lab/services/subnet_manager.hpp"

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

namespace {

constexpr std::string_view kInstance = "opensm@";
constexpr std::string_view kOfedUnit = "opensmd.service";
constexpr const char* kDefaults = "/etc/default/opensm";

bool has_package(const LinuxHost& machine) {
  const auto found = machine.state.services.find(std::string{package_manager_service(machine)});
  return found != machine.state.services.end() && found->second.installed;
}

bool is_instance(const LinuxHost& machine, std::string_view unit) {
  return unit.starts_with(kInstance) && has_package(machine);
}

std::string instance_command(std::string_view unit) {
  std::string_view guid = unit.substr(kInstance.size());
  if (guid.ends_with(kService)) guid.remove_suffix(kService.size());
  return fmt::format("/usr/sbin/opensm --guid {0} --log_file /var/log/opensm.{0}.log", guid);
}

bool condition_holds(const LinuxHost& machine, std::string_view condition) {
  const bool negated = condition.starts_with('!');
  const bool there = machine.state.files.find(condition.substr(negated ? 1 : 0)) != nullptr;
  return there != negated;
}

bool may_start(const LinuxHost& machine) {
  const std::string drop_ins =
      fmt::format("/etc/systemd/system/{}.service.d", package_manager_service(machine));
  for (const std::string& file : machine.state.files.list(drop_ins)) {
    std::string content;
    if (!file.ends_with(".conf")) continue;
    machine.state.files.read(fmt::format("{}/{}", drop_ins, file), "root", content);
    for (const IniSection& section : parse_ini(content)) {
      for (const auto& [key, value] : section.keys) {
        if (key == "ConditionPathExists" && !condition_holds(machine, value)) return false;
      }
    }
  }
  return machine.state.files.find("/sys/class/infiniband_mad/abi_version") != nullptr;
}

// PORTS="..." of the defaults.
std::vector<std::string> ports_to_manage(const LinuxHost& machine) {
  std::string content;
  std::string ports;
  machine.state.files.read(kDefaults, "root", content);
  for (const std::string_view line : split_lines(content)) {
    if (trim(line).starts_with("PORTS=")) ports = trim(line).substr(6);
  }
  std::erase(ports, '"');
  if (ports == "NONE") return {};
  // Ethernet ports too in reality, whose process ends at once.
  if (ports == "ALL") return manageable_ports(machine);
  std::vector<std::string> guids;
  for (const std::string_view guid : split_words(ports))
    guids.emplace_back(guid);
  return guids;
}

}  // namespace

std::string_view package_manager_service(const LinuxHost& machine) {
  return machine.profile.ofed.empty() ? "opensm" : "opensmd";
}

bool is_manager_unit(const LinuxHost& machine, std::string_view unit) {
  if (is_instance(machine, unit)) return true;
  if (!has_unit_file(machine, unit)) return false;
  const std::string command = unit_command(machine, unit);
  return command == "/usr/sbin/opensm" || command.starts_with("/usr/sbin/opensm ");
}

std::vector<std::string> manager_commands(
    const LinuxHost& machine, std::string_view unit, std::string_view key) {
  if (is_instance(machine, unit)) return {};
  return unit_settings(machine, unit, "Service", key);
}

void start_manager_unit(LinuxHost& machine, const std::string& unit) {
  const bool instance = is_instance(machine, unit);
  const std::string command = instance            ? instance_command(unit)
                              : unit == kOfedUnit ? std::string{"/usr/sbin/opensm"}
                                                  : unit_command(machine, unit);
  stop_manager(machine, unit);
  const std::vector<std::string_view> words = split_words(command);
  if (words.empty() || machine.state.files.find(words.front()) == nullptr) return;
  const std::vector<std::string> restart =
      instance ? std::vector<std::string>{} : unit_settings(machine, unit, "Service", "Restart");
  const bool restarts = !restart.empty() && restart.back() == "always";
  start_manager(machine, unit, std::span{words}.subspan(1), restarts);
}

void install_manager_package(LinuxHost& machine) {
  if (machine.state.files.find(kDefaults) == nullptr) {
    machine.state.files.install(
        kDefaults,
        "# Port GUIDs to manage, separated by blanks; or ALL, or NONE.\nPORTS=\"ALL\"\n");
  }
  machine.state.files.install_directory("/etc/opensm");
  // The package's units start only where it is installed.
  const std::string service{package_manager_service(machine)};
  machine.state.services[service] = {true, false, true};
  const bool is_running = start_package_managers(machine);
  machine.state.services[service].active = is_running;
}

bool start_package_managers(LinuxHost& machine) {
  if (!may_start(machine)) return false;
  if (!machine.profile.ofed.empty()) {
    const std::string unit{kOfedUnit};
    if (!has_manager(machine, unit)) start_manager_unit(machine, unit);
    return true;
  }
  for (const std::string& guid : ports_to_manage(machine)) {
    const std::string unit = fmt::format("{}{}{}", kInstance, guid, kService);
    if (!has_manager(machine, unit)) start_manager_unit(machine, unit);
  }
  return true;
}

void stop_package_managers(LinuxHost& machine) {
  std::vector<std::string> units;
  for (const auto& [unit, process] : machine.state.managers) {
    if (unit.starts_with(kInstance) || unit == kOfedUnit) units.push_back(unit);
  }
  for (const std::string& unit : units)
    stop_manager(machine, unit);
}

}  // namespace fabric::lab
