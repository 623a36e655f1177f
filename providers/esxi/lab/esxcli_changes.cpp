// SPDX-License-Identifier: Apache-2.0
// The commands of esxcli that change a host, with their errors.
#include <algorithm>

#include <fmt/format.h>

#include "engine/base/text.hpp"
#include "providers/esxi/lab/esxcli_call.hpp"

namespace fabric::lab::esxi {
namespace {

constexpr std::string_view kUserVars = "/UserVars/";
constexpr std::string_view kStored = "/adv/UserVars/";

int missing(Process& process, std::string_view option) {
  return fail(process, fmt::format("Error: Missing required parameter {}", option));
}

// Waits until no virtual machine runs: without a cluster, none is moved away. A timeout of 0 waits
// for ever (E-esxi-maintenance-set).
int maintenance_set(Process& process, const Call& call) {
  EsxiMachine& machine = machine_of(process);
  const std::string enable = call.option("-e");
  if (enable.empty()) return missing(process, "-e|--enable");
  if (enable != "true" && enable != "false")
    return fail(
        process,
        fmt::format(
            "Error: While processing '-e'. Argument type mismatch. Expecting one of {{0, 1, n[o], "
            "y[es], f[alse], t[rue], off, on}}. Got '{}'",
            enable));
  const bool on = enable == "true";
  if (on == machine.in_maintenance())
    return fail(
        process, fmt::format("Maintenance mode is already {}.", on ? "enabled" : "disabled"));
  if (on && !machine.running.empty()) {
    const std::int64_t seconds = parse_integer(call.option("-t")).value_or(0);
    constexpr std::int64_t kForEver = std::int64_t{7} * 24 * 3600;
    process.session.pass(Duration{1'000 * (seconds == 0 ? kForEver : seconds)});
    return fail(process, "The operation timed out.");
  }
  process.session.pass(Duration{800});
  machine.configure("/system/maintenance", on ? "true" : "");
  return 0;
}

// Refused outside of maintenance mode (E-esxi-reboot).
int shutdown_reboot(Process& process, const Call& call) {
  EsxiMachine& machine = machine_of(process);
  if (call.option("-r").empty()) return missing(process, "-r|--reason");
  if (!machine.in_maintenance())
    return fail(
        process,
        "Error: The operation is not allowed in the current state: the host is not in maintenance "
        "mode.");
  // The wait before the reboot is at most the lab's time of a boot.
  const Duration delay{1'000 * parse_integer(call.option("-d")).value_or(10)};
  machine.shutdown_at = machine.now + std::min(delay, machine.boot_time());
  return 0;
}

// Replaces the whole string, whatever was in it (E-esxi-module-options).
int parameters_set(Process& process, const Call& call) {
  EsxiMachine& machine = machine_of(process);
  const std::string module = call.option("-m");
  if (module.empty()) return missing(process, "-m|--module");
  if (!machine.loaded_options.contains(module))
    return fail(process, fmt::format("Unable to find module {}", module));
  machine.configure(fmt::format("/vmkernel/module/{}.so/options", module), call.option("-p"));
  return 0;
}

// The settings of the host, and those that were added (E-esxi-advanced).
int advanced_list(Process& process, const Call& call) {
  const EsxiMachine& machine = machine_of(process);
  std::map<std::string, std::string> values{{"SuppressShellWarning", ""}};
  for (const std::string& key : machine.configured_keys(std::string{kStored}))
    values[key.substr(kStored.size())] = machine.configured(key);
  std::vector<Structure> rows;
  const std::string wanted = call.option("-o");
  for (const auto& [name, value] : values) {
    const std::string path = std::string{kUserVars} + name;
    if (!wanted.empty() && wanted != path) continue;
    const bool is_text = name != "SuppressShellWarning";
    rows.push_back(
        {{"DefaultIntValue", "integer", "0"},
         {"DefaultStringValue", "string", ""},
         {"Description", "string", "a setting"},
         {"IntValue", "integer", "0"},
         {"Path", "string", path},
         {"StringValue", "string", value},
         {"Type", "string", is_text ? "string" : "integer"}});
  }
  if (rows.empty()) return fail(process, fmt::format("Unable to find option {}", wanted));
  return print(process, call, "SettingsAdvancedOption", rows);
}

int advanced_add(Process& process, const Call& call) {
  EsxiMachine& machine = machine_of(process);
  for (const char* option : {"-d", "-k", "-t"}) {
    if (call.option(option).empty()) return missing(process, option);
  }
  const std::string key = std::string{kStored} + call.option("-k");
  if (!machine.configured(key).empty())
    return fail(process, fmt::format("Option {} already exists", call.option("-k")));
  machine.configure(key, call.option("-s"));
  return 0;
}

// Also removes an added setting: an empty text means none.
int advanced_set(Process& process, const Call& call) {
  EsxiMachine& machine = machine_of(process);
  const std::string path = call.option("-o");
  if (!path.starts_with(kUserVars)) return fail(process, "Unable to find option " + path);
  const std::string key = std::string{kStored} + path.substr(kUserVars.size());
  if (machine.configured(key).empty()) return fail(process, "Unable to find option " + path);
  machine.configure(key, call.option("-s"));
  return 0;
}

// One line for each function; a change is in force from the next boot on (E-esxi-passthrough).
int passthru_list(Process& process, const Call& call) {
  const EsxiMachine& machine = machine_of(process);
  std::vector<Structure> rows{
      {{"DeviceID", "string", "0000:1c:00.0"}, {"Enabled", "boolean", "false"}}};
  for (const Card& card : machine.state.cards) {
    for (const CardPort& port : card.ports) {
      const std::string function = card.function_of(port.number);
      const bool on = machine.configured("/device/" + function + "/owner") == "passthru";
      rows.push_back(
          {{"DeviceID", "string", function}, {"Enabled", "boolean", on ? "true" : "false"}});
    }
  }
  return print(process, call, "PCIPassthru", rows);
}

int passthru_set(Process& process, const Call& call) {
  const std::string device = call.option("-d");
  if (device.empty()) return missing(process, "-d|--device-id");
  machine_of(process).configure(
      "/device/" + device + "/owner", call.option("-e") == "true" ? "passthru" : "");
  return 0;
}

}  // namespace

const std::map<std::string, Command, std::less<>>& changing_commands() {
  static const std::map<std::string, Command, std::less<>> commands{
      {"hardware pci pcipassthru list", passthru_list},
      {"hardware pci pcipassthru set", passthru_set},
      {"system maintenanceMode set", maintenance_set},
      {"system module parameters set", parameters_set},
      {"system settings advanced add", advanced_add},
      {"system settings advanced list", advanced_list},
      {"system settings advanced remove", advanced_set},
      {"system settings advanced set", advanced_set},
      {"system shutdown reboot", shutdown_reboot},
  };
  return commands;
}

}  // namespace fabric::lab::esxi
