// SPDX-License-Identifier: Apache-2.0
#include "providers/esx_classic/lab/esx_classic_programs.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "engine/base/text.hpp"
#include "providers/esx_classic/lab/esx_classic_machine.hpp"
#include "providers/linux/lab/commands/families.hpp"

namespace fabric::lab {

namespace esx_classic {
namespace {

EsxClassicMachine& machine_of(Process& process) {
  return static_cast<EsxClassicMachine&>(process.machine());
}

bool has(const std::vector<std::string>& words, std::string_view word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

// The word behind `option`; "" = it is not given.
std::string after(const std::vector<std::string>& words, std::string_view option) {
  const auto found = std::find(words.begin(), words.end(), option);
  return found == words.end() || found + 1 == words.end() ? std::string{} : *(found + 1);
}

std::uint64_t bus_of(const Card& card) {
  return parse_unsigned(card.pci.substr(5, 2), 16).value_or(0);
}

}  // namespace

int vmware(Process& process) {
  process.out(machine_of(process).read_file("/etc/vmware-release").value_or(""));
  return 0;
}

// Both orders of the module and the option are taken (guide, 4.4.2.1).
// E-esx-module-options
int esxcfg_module(Process& process) {
  EsxClassicMachine& machine = machine_of(process);
  std::vector<std::string> words{process.arguments.begin() + 1, process.arguments.end()};
  if (has(words, "-l")) {
    process.out("Device Driver Modules\nModule                   Enabled Loaded\n");
    process.out("vmklinux                 true    true\n");
    for (const std::string& module : machine.modules())
      process.out(fmt::format(
          "{:<24} {:<7} {}\n",
          module,
          machine.is_enabled(module) ? "true" : "false",
          machine.loaded.contains(module) ? "true" : "false"));
    return 0;
  }
  const std::string set = after(words, "-s");
  const bool sets = has(words, "-s");
  std::string module, action;
  for (std::size_t at = 0; at < words.size(); ++at) {
    const bool is_value = at > 0 && words[at - 1] == "-s";
    if (is_value) continue;
    (words[at].starts_with('-') ? action : module) = words[at];
  }
  if (!has(machine.modules(), module)) {
    process.out(fmt::format("Unable to find module {}\n", module));
    return 1;
  }
  const std::string key = fmt::format("/vmkernel/module/{}.o/", module);
  if (sets) {
    machine.configure(key + "options", set);
    return 0;
  }
  if (action == "-e" || action == "-d") {
    machine.configure(key + "enabled", action == "-e" ? "true" : "false");
    return 0;
  }
  if (action != "-g") return 1;
  process.out(fmt::format(
      "{} enabled = {} options = '{}'\n",
      module,
      machine.is_enabled(module) ? 1 : 0,
      machine.options(module)));
  return 0;
}

int vmkload_mod(Process& process) {
  if (const std::string module = after(process.arguments, "-u"); !module.empty()) {
    machine_of(process).loaded.erase(module);
    machine_of(process).note_change();
    return 0;
  }
  process.out("Name                     R/O Addr     Length   R/W Addr     Length   ID Loaded\n");
  process.out("vmklinux                 0x418000000  0x1a000  0x410000000  0x46a8   1  Yes\n");
  for (const auto& [module, options] : machine_of(process).loaded)
    process.out(fmt::format("{:<24} 0x418000000  0x1a000  0x410000000  0x46a8   2  Yes\n", module));
  return 0;
}

std::uint64_t uplinks_of(std::string_view options) {
  std::uint64_t count = 1;
  for (const std::string_view word : split_words(options))
    if (word.starts_with("ipoib_uplink_num="))
      count = parse_unsigned(word.substr(word.find('=') + 1), 10).value_or(1);
  return count;
}

// E-esx-nic-names
std::string nic_line(
    const std::string& name,
    const Card& card,
    const CardPort& port,
    std::string_view driver,
    bool up) {
  return fmt::format(
      "{:<10} {:02x}:00.00 {:<9} {:<4} {:<9} Full   {} 1500   Mellanox {}\n",
      name,
      bus_of(card),
      driver,
      up ? "Up" : "Down",
      up ? "10000Mbps" : "0Mbps",
      port.mac,
      card.hardware.name);
}

// "vmnic13.p1" is on bus 13 (E-esx-nic-names); further uplinks of a port have plain numbers.
int esxcfg_nics(Process& process) {
  const EsxClassicMachine& machine = machine_of(process);
  process.out(
      "Name       PCI      Driver    Link Speed     Duplex MAC Address       MTU    "
      "Description\n");
  process.out(
      "vmnic0     02:00.00 bnx2      Up   1000Mbps  Full   00:1b:78:05:48:18 1500   "
      "Broadcom Corporation NetXtreme II BCM5708\n");
  int next = 32;
  for (std::size_t index = 0; index < machine.state.cards.size(); ++index) {
    const Card& card = machine.state.cards[index];
    for (const CardPort& port : card.ports) {
      const bool ethernet = port.link_type == LinkType::ethernet;
      const char* driver = ethernet ? "mlx4_en" : "ib_ipoib";
      const auto runs = machine.loaded.find(driver);
      if (runs == machine.loaded.end()) continue;
      const std::uint64_t count = ethernet ? 1 : uplinks_of(runs->second);
      const bool up = process.session.network.carrier(machine, index, port.number);
      for (std::uint64_t uplink = 0; uplink < count; ++uplink) {
        const std::string name = uplink == 0 ? fmt::format("vmnic{}.p{}", bus_of(card), port.number)
                                             : fmt::format("vmnic{}", next++);
        process.out(nic_line(name, card, port, driver, up));
      }
    }
  }
  return 0;
}

int esxcfg_vswitch(Process& process) {
  process.out(
      "Switch Name    Num Ports   Used Ports  Configured Ports  MTU     Uplinks\n"
      "vSwitch0       32          4           32                1500    vmnic0\n\n"
      "  PortGroup Name      VLAN ID  Used Ports  Uplinks\n"
      "  VM Network          0        0           vmnic0\n"
      "  Service Console     0        1           vmnic0\n");
  return 0;
}

int esxcfg_vswif(Process& process) {
  process.out(
      "Name     Port Group        IP Address          Netmask          Broadcast        "
      "Enabled   DHCP\n");
  process.out(fmt::format(
      "vswif0   Service Console   {:<19} 255.255.255.0    192.0.2.255      true      false\n",
      process.machine().profile.address));
  return 0;
}

int esxcfg_boot(Process& /*process*/) {
  return 0;
}

int esxcfg_advcfg(Process& process) {
  EsxClassicMachine& machine = machine_of(process);
  const std::vector<std::string>& words = process.arguments;
  const std::string key = "/vmkernel/boot/" + words.back();
  if (has(words, "-k")) {
    machine.configure(key, after(words, "-k"));
    return 0;
  }
  if (!has(words, "-j")) return 1;
  const std::string value = machine.configured(key);
  process.out(fmt::format("{} = {}\n", words.back(), value.empty() ? "FALSE" : value));
  return 0;
}

// Without the domain, with the word "Class" (E-esx-classic-tables).
int lspci(Process& process) {
  process.out("00:00.0 Class 0600: 8086:25d8 (rev b1)\n02:00.0 Class 0200: 14e4:164c (rev 12)\n");
  for (const Card& card : process.machine().state.cards)
    process.out(fmt::format(
        "{}.0 Class 0c06: 15b3:{:04x} (rev a0)\n", card.pci.substr(5), card.device_id()));
  return 0;
}

// It needs IPoIB (guide, 3.2).
// E-esx-ibstat
int ibstat(Process& process) {
  const EsxClassicMachine& machine = machine_of(process);
  if (!machine.loaded.contains("ib_ipoib")) return 1;
  int number = 0;
  for (const Card& card : machine.state.cards) {
    process.out(fmt::format(
        "CA 'mlx4_{}'\n\tCA type: {}\n\tNumber of ports: {}\n\tFirmware version: {}\n"
        "\tHardware version: a0\n\tNode GUID: 0x{:016x}\n",
        number++,
        card.hardware.tool_name.empty() ? "MT25418" : card.hardware.tool_name,
        card.ports.size(),
        card.firmware,
        card.base_guid));
    for (const CardPort& port : card.ports)
      process.out(fmt::format(
          "\tPort {}:\n\t\tState: Active\n\t\tPhysical state: LinkUp\n\t\tRate: 20\n"
          "\t\tPort GUID: 0x{:016x}\n",
          port.number,
          port.guid));
  }
  return 0;
}

// hostd's own words (E-esx-maintenance).
int vim_cmd(Process& process) {
  EsxClassicMachine& machine = machine_of(process);
  const std::string verb = process.arguments.size() > 1 ? process.arguments[1] : "";
  if (verb == "hostsvc/hostsummary") {
    process.out(fmt::format(
        "Listsummary:\n\n(vim.host.Summary) {{\n   runtime = (vim.host.RuntimeInfo) {{\n"
        "      inMaintenanceMode = {},\n   }},\n}}\n",
        machine.in_maintenance()));
    return 0;
  }
  if (verb == "hostsvc/maintenance_mode_enter" || verb == "hostsvc/maintenance_mode_exit") {
    machine.configure("/system/maintenance", verb.ends_with("enter") ? "true" : "false");
    return 0;
  }
  process.out("Invalid command '" + verb + "'.\n");
  return 1;
}

// The virtual machines with a folder below /vmfs/volumes without a file `off` run.
int vmware_cmd(Process& process) {
  const std::vector<std::string>& words = process.arguments;
  FileTree& files = process.files();
  if (has(words, "-l")) {
    for (const std::string& volume : files.list("/vmfs/volumes"))
      for (const std::string& machine : files.list("/vmfs/volumes/" + volume))
        process.out(fmt::format("/vmfs/volumes/{0}/{1}/{1}.vmx\n", volume, machine));
    return 0;
  }
  if (!has(words, "getstate") || words.size() < 2) return 1;
  const std::string folder = words[1].substr(0, words[1].rfind('/'));
  process.out(files.find(folder + "/off") == nullptr ? "on\n" : "off\n");
  return 0;
}

}  // namespace esx_classic

// The programs of a service console, and their paths.

namespace {

using P = Package;

constexpr auto kEntries = std::to_array<ProgramEntry>({
    {"[", "/usr/bin/[", P::base, commands::builtin},
    {"cat", "/usr/bin/cat", P::base, commands::cat},
    {"echo", "/usr/bin/echo", P::base, commands::builtin},
    {"env", "/usr/bin/env", P::base, commands::env},
    {"esxcfg-advcfg", "/usr/sbin/esxcfg-advcfg", P::base, esx_classic::esxcfg_advcfg},
    {"esxcfg-boot", "/usr/sbin/esxcfg-boot", P::base, esx_classic::esxcfg_boot},
    {"esxcfg-module", "/usr/sbin/esxcfg-module", P::base, esx_classic::esxcfg_module},
    {"esxcfg-nics", "/usr/sbin/esxcfg-nics", P::base, esx_classic::esxcfg_nics},
    {"esxcfg-vswif", "/usr/sbin/esxcfg-vswif", P::base, esx_classic::esxcfg_vswif},
    {"esxcfg-vswitch", "/usr/sbin/esxcfg-vswitch", P::base, esx_classic::esxcfg_vswitch},
    {"esxupdate", "/usr/sbin/esxupdate", P::base, esx_classic::esxupdate},
    {"false", "/usr/bin/false", P::base, commands::builtin},
    {"grep", "/usr/bin/grep", P::base, commands::grep},
    {"hostname", "/usr/bin/hostname", P::base, commands::hostname},
    {"ibstat", "/usr/sbin/ibstat", P::base, esx_classic::ibstat},
    {"ls", "/usr/bin/ls", P::base, commands::ls},
    {"lspci", "/usr/sbin/lspci", P::base, esx_classic::lspci},
    {"mkdir", "/usr/bin/mkdir", P::base, commands::mkdir},
    {"mv", "/usr/bin/mv", P::base, commands::mv},
    {"printf", "/usr/bin/printf", P::base, commands::builtin},
    {"reboot", "/usr/sbin/reboot", P::base, commands::reboot},
    {"rm", "/usr/bin/rm", P::base, commands::rm},
    {"rpm", "/usr/bin/rpm", P::base, esx_classic::rpm},
    {"sed", "/usr/bin/sed", P::base, commands::sed},
    {"sh", "/usr/bin/sh", P::base, commands::sh},
    {"sleep", "/usr/bin/sleep", P::base, commands::pause},
    {"sync", "/usr/bin/sync", P::base, commands::sync},
    {"test", "/usr/bin/test", P::base, commands::builtin},
    {"touch", "/usr/bin/touch", P::base, commands::touch},
    {"tr", "/usr/bin/tr", P::base, commands::tr},
    {"true", "/usr/bin/true", P::base, commands::builtin},
    {"vmkload_mod", "/usr/sbin/vmkload_mod", P::base, esx_classic::vmkload_mod},
    {"vmware", "/usr/bin/vmware", P::base, esx_classic::vmware},
    {"vmware-cmd", "/usr/bin/vmware-cmd", P::base, esx_classic::vmware_cmd},
    {"vmware-vim-cmd", "/usr/bin/vmware-vim-cmd", P::base, esx_classic::vim_cmd},
});

}  // namespace

const ProgramTable& esx_classic_programs() {
  static const ProgramTable table{kEntries};
  return table;
}

}  // namespace fabric::lab
