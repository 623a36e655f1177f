// SPDX-License-Identifier: Apache-2.0
#include "providers/esxi/lab/esxi_programs.hpp"

#include <array>

#include <fmt/format.h>

#include "providers/esxi/lab/esxi_machine.hpp"
#include "providers/linux/lab/commands/families.hpp"
#include "providers/linux/lab/commands/rdma/mst_device.hpp"
#include "providers/linux/lab/commands/rdma/rdma_families.hpp"

namespace fabric::lab {
namespace {

using P = Package;
using commands::builtin;

constexpr auto kEntries = std::to_array<ProgramEntry>({
    {"[", "/bin/[", P::base, builtin},
    {"auto-backup.sh", "/sbin/auto-backup.sh", P::base, esxi::auto_backup},
    {"cat", "/bin/cat", P::base, commands::cat},
    {"date", "/bin/date", P::base, commands::date},
    {"echo", "/bin/echo", P::base, builtin},
    {"esxcfg-module", "/sbin/esxcfg-module", P::base, esxi::esxcfg_module},
    {"esxcli", "/sbin/esxcli", P::base, esxi::esxcli},
    {"false", "/bin/false", P::base, builtin},
    {"flint", "/opt/mellanox/bin/flint", P::base, commands::mstflint},
    {"grep", "/bin/grep", P::base, commands::grep},
    {"hostname", "/bin/hostname", P::base, commands::hostname},
    {"kill", "/bin/kill", P::base, esxi::kill},
    {"ln", "/bin/ln", P::base, commands::ln},
    {"ls", "/bin/ls", P::base, commands::ls},
    {"mlxconfig", "/opt/mellanox/bin/mlxconfig", P::base, commands::mstconfig},
    {"mst", "/opt/mellanox/bin/mst", P::base, esxi::mst},
    {"printf", "/bin/printf", P::base, builtin},
    {"ps", "/bin/ps", P::base, esxi::ps},
    {"rm", "/bin/rm", P::base, commands::rm},
    {"sed", "/bin/sed", P::base, commands::sed},
    {"sh", "/bin/sh", P::base, commands::sh},
    {"test", "/bin/test", P::base, builtin},
    {"timeout", "/bin/timeout", P::base, commands::timeout},
    {"tr", "/bin/tr", P::base, commands::tr},
    {"true", "/bin/true", P::base, builtin},
    {"vim-cmd", "/bin/vim-cmd", P::base, esxi::vim_cmd},
    {"vmkload_mod", "/sbin/vmkload_mod", P::base, esxi::vmkload_mod},
    {"vmkping", "/sbin/vmkping", P::base, esxi::vmkping},
});

}  // namespace

const ProgramTable& esxi_programs() {
  static const ProgramTable table{kEntries};
  return table;
}

namespace esxi {

// Options for the next load (E-esxi-module-options).
int esxcfg_module(Process& process) {
  const auto& machine = static_cast<EsxiMachine&>(process.machine());
  const std::vector<std::string>& words = process.arguments;
  if (words.size() != 3 || words[1] != "-g") {
    process.out("esxcfg-module: only -g is played here\n");
    return 1;
  }
  if (!machine.loaded_options.contains(words[2])) {
    process.out(fmt::format("Unable to get module options: {} not found\n", words[2]));
    return 1;
  }
  process.out(
      fmt::format("{} enabled = 1 options = '{}'\n", words[2], machine.module_options(words[2])));
  return 0;
}

// Writes the configuration in memory to the boot bank (E-esxi-backup).
int auto_backup(Process& process) {
  static_cast<EsxiMachine&>(process.machine()).save_configuration();
  process.out("Saving current state in /bootbank\n");
  return 0;
}

// "-u" unloads (E-esxi-devmgr).
int vmkload_mod(Process& process) {
  auto& machine = static_cast<EsxiMachine&>(process.machine());
  const std::vector<std::string>& words = process.arguments;
  const bool unloads = words.size() == 3 && words[1] == "-u";
  const std::string module = words.size() > 1 ? words.back() : "";
  if (!machine.loaded_options.contains(module)) {
    process.out(fmt::format("vmkload_mod: Can not find module {}\n", module));
    return 1;
  }
  if (unloads == machine.unloaded.contains(module)) {
    process.out(fmt::format("vmkload_mod: Module {} is {}loaded\n", module, unloads ? "not " : ""));
    return 1;
  }
  if (unloads) {
    machine.unloaded.insert(module);
  } else {
    machine.loaded_options[module] = machine.module_options(module);
    machine.unloaded.erase(module);
  }
  machine.note_change();
  process.out(fmt::format("Module {} {}loaded successfully\n", module, unloads ? "un" : ""));
  return 0;
}

int ps(Process& process) {
  process.out(
      "WID      CID      World Name            Command\n"
      "2097709  2097709  devmgr                /bin/devmgr\n");
  return 0;
}

int kill(Process& /*process*/) {
  return 0;
}

// Bare names, blanks where it has nothing to say (E-esxi-mst).
int mst(Process& process) {
  const LinuxHost& machine = process.machine();
  const std::vector<std::string>& words = process.arguments;
  const std::string verb = words.size() > 1 ? words[1] : "status";
  if (verb == "start") {
    process.out("Module mst loaded successfully\n");
    return 0;
  }
  if (verb != "status") {
    process.out("-E- Unknown argument " + verb + "\n");
    return 1;
  }
  constexpr std::string_view kFolder = "/dev/mst/";
  const bool wide = words.size() > 2 && words[2].starts_with("-v");
  process.out(
      wide ? "PCI devices:\n------------\nDEVICE_TYPE             MST                  PCI       "
             "RDMA            NET                 NUMA\n"
           : "\n\nMST devices: \n------------\n");
  for (std::size_t index = 0; index < machine.state.cards.size(); ++index) {
    const Card& card = machine.state.cards[index];
    if (!static_cast<const EsxiMachine&>(machine).is_shown(index)) continue;
    for (const CardPort& port : card.ports) {
      const std::string name =
          commands::mst_path(machine, index, port.number).substr(kFolder.size());
      if (!wide) {
        if (port.number == 1) process.out(name + "\n");
        continue;
      }
      process.out(fmt::format(
          "{:<24}{:<21}{:<10}{:<16}net-vmnic{}\n",
          card.hardware.tool_name + "(rev:0)",
          name,
          card.function_of(port.number).substr(5),
          "",
          2 + index * 2 + port.number - 1));
    }
  }
  return 0;
}

// An excerpt of what hostd keeps, in its form (E-esxi-manager).
int vim_cmd(Process& process) {
  const std::vector<std::string>& words = process.arguments;
  if (words.size() != 2 || words[1] != "hostsvc/hostsummary") {
    process.out("Invalid command '" + (words.size() > 1 ? words[1] : "") + "'.\n");
    return 1;
  }
  process.out(
      "Listsummary:\n\n(vim.host.Summary) {\n   host = 'vim.HostSystem:ha-host',\n"
      "   rebootRequired = false,\n   managementServerIp = <unset>,\n   maxEVCModeKey = <unset>,\n"
      "}\n");
  return 0;
}

}  // namespace esxi
}  // namespace fabric::lab
