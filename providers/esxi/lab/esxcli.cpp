// SPDX-License-Identifier: Apache-2.0
// esxcli: its answers about a host, by its formatters.
#include <map>
#include <vector>

#include <fmt/format.h>

#include "engine/base/text.hpp"
#include "providers/esxi/lab/esxcli_call.hpp"
#include "providers/esxi/lab/esxi_machine.hpp"
#include "providers/esxi/lab/esxi_programs.hpp"

namespace fabric::lab::esxi {
namespace {

constexpr std::string_view kVersion = "8.0.3";
constexpr std::string_view kBuild = "24022510";

struct Nic {
  std::string name, pci, driver, mac;
  bool up = false;
  std::uint32_t mbps = 0;
  std::string description, mtu;
};

Structure shown(const Nic& nic) {
  return {
      {"AdminStatus", "string", "Up"},
      {"DPUId", "string", "N/A"},
      {"Description", "string", nic.description},
      {"Driver", "string", nic.driver},
      {"Duplex", "string", nic.up ? "Full" : "Half"},
      {"Link", "string", nic.up ? "Up" : "Down"},
      {"LinkStatus", "string", nic.up ? "Up" : "Down"},
      {"MACAddress", "string", nic.mac},
      {"MTU", "integer", nic.mtu},
      {"Name", "string", nic.name},
      {"PCIDevice", "string", nic.pci},
      {"Speed", "integer", std::to_string(nic.up ? nic.mbps : 0)}};
}

int nic_list(Process& process, const Call& call) {
  const EsxiMachine& machine = machine_of(process);
  std::vector<Structure> nics{shown(
      {"vmnic0",
       "0000:1c:00.0",
       "i40en",
       "3c:ec:ef:05:48:18",
       true,
       1000,
       "Intel X722",
       machine.nic_mtu("vmnic0")})};
  for (std::size_t card = 0; card < machine.state.cards.size(); ++card) {
    const Card& here = machine.state.cards[card];
    for (const CardPort& port : here.ports) {
      if (!machine.is_nic(card, port.number)) continue;
      const bool up = process.session.network.carrier(machine, card, port.number);
      nics.push_back(shown(
          {nic_name(card, port.number),
           here.function_of(port.number),
           "nmlx5_core",
           port.mac,
           up,
           port_gbps(here, port.number) * 1000,
           fmt::format("Mellanox Technologies {}", here.hardware.name),
           machine.nic_mtu(nic_name(card, port.number))}));
    }
  }
  return print(process, call, "Nic", nics);
}

int rdma_list(Process& process, const Call& call) {
  const EsxiMachine& machine = machine_of(process);
  std::vector<Structure> devices;
  for (std::size_t card = 0; card < machine.state.cards.size(); ++card) {
    const Card& here = machine.state.cards[card];
    for (const CardPort& port : here.ports) {
      if (port.link_type != LinkType::ethernet) continue;
      const bool up = process.session.network.carrier(machine, card, port.number);
      devices.push_back(
          {{"Description", "string", here.hardware.name},
           {"Driver", "string", "nmlx5_rdma"},
           {"MTU", "integer", "1024"},
           {"Name", "string", fmt::format("vmrdma{}", devices.size())},
           {"PairedUplink", "string", nic_name(card, port.number)},
           {"Speed", "string", fmt::format("{} Gbps", up ? port_gbps(here, port.number) : 0)},
           {"State", "string", up ? "Active" : "Down"}});
    }
  }
  return print(process, call, "RDMADevice", devices);
}

// The entry of max_vfs for a port, counted over all ports of the driver in order of their addresses
// (E-esxi-vfs).
std::uint64_t functions_of(const EsxiMachine& machine, std::size_t card, std::uint32_t port) {
  constexpr std::string_view kKey = "max_vfs=";
  const Card& here = machine.state.cards[card];
  if (here.current_of("SRIOV_EN") == 0) return 0;
  std::size_t entry = port - 1;
  for (std::size_t other = 0; other < machine.state.cards.size(); ++other) {
    const Card& before = machine.state.cards[other];
    if (before.pci < here.pci && !machine.passed_through.contains(other))
      entry += before.ports.size();
  }
  const std::string& options = machine.loaded_options.at("nmlx5_core");
  for (const std::string_view word : split_words(std::string_view{options})) {
    if (!word.starts_with(kKey)) continue;
    const std::vector<std::string_view> entries = split(word.substr(kKey.size()), ',');
    if (entry >= entries.size()) return 0;
    return std::min(parse_unsigned(entries[entry], 10).value_or(0), here.current_of("NUM_OF_VFS"));
  }
  return 0;
}

// Since 8.0.3 addresses are hexadecimal (E-esxi-vf-address).
int vf_list(Process& process, const Call& call) {
  const EsxiMachine& machine = machine_of(process);
  const auto wanted = call.options.find("-n");
  if (wanted == call.options.end()) {
    process.out("Error: Missing required parameter -n|--nic-name\n");
    return kFailed;
  }
  bool is_first = true;  // of those that have some: machines take theirs there
  for (std::size_t card = 0; card < machine.state.cards.size(); ++card) {
    const Card& here = machine.state.cards[card];
    for (const CardPort& port : here.ports) {
      const std::uint64_t number =
          machine.is_nic(card, port.number) ? functions_of(machine, card, port.number) : 0;
      if (number == 0) continue;
      if (nic_name(card, port.number) != wanted->second) {
        is_first = false;
        continue;
      }
      process.out(
          "VF ID  Active  PCI Address     Owner World ID\n"
          "-----  ------  --------------  --------------\n");
      const std::vector<VirtualMachine> holders = machine.holders();
      for (std::uint64_t vf = 0; vf < number; ++vf) {
        const bool held = is_first && vf < holders.size();
        const std::uint64_t place = 2 + (port.number - 1) * 64 + vf;
        process.out(fmt::format(
            "{:>5}  {:>6}  {}:{:02x}.{}     {}\n",
            vf,
            held ? "true" : "false",
            here.pci.substr(0, here.pci.rfind(':')),
            place / 8,
            place % 8,
            held ? std::to_string(holders[vf].world) : "-"));
      }
      return 0;
    }
  }
  process.out(fmt::format("There is no SRIOV Nic with name {}\n", wanted->second));
  return kFailed;
}

// E-esxi-pci-list.
std::string pci_block(
    const std::string& address,
    const std::string& name,
    std::uint32_t vendor,
    std::uint32_t device,
    const std::string& module,
    const std::string& device_class = "0x0200") {
  const std::string owner = module == "pciPassthru" ? "VM Passthru" : "VMkernel";
  const std::string slot = address.substr(8, 2);
  return fmt::format(
      "{0}\n   Address: {0}\n   Segment: 0x{1}\n   Bus: 0x{2}\n   Slot: 0x{3}\n   Function: 0x{4}\n"
      "   VMkernel Name: {5}\n   Configured Owner: {9}\n   Current Owner: {9}\n"
      "   Vendor ID: 0x{6:04x}\n   Device ID: 0x{7:04x}\n   SubVendor ID: 0x{6:04x}\n"
      "   SubDevice ID: 0x0001\n   Device Class: {10}\n   Device Class Name: Network "
      "controller\n   Module Name: {8}\n   Physical Slot: 4294967295\n   Slot Description: \n"
      "   Passthru Capable: true\n\n",
      address,
      address.substr(0, 4),
      address.substr(5, 2),
      slot,
      address.substr(11, 1),
      name,
      vendor,
      device,
      module,
      owner,
      device_class);
}

// A block for each function (E-esxi-pci-list).
int pci_list(Process& process, const Call& /*call*/) {
  const EsxiMachine& machine = machine_of(process);
  std::string text = pci_block("0000:1c:00.0", "vmnic0", 0x8086, 0x37d1, "i40en");
  for (std::size_t card = 0; card < machine.state.cards.size(); ++card) {
    const Card& here = machine.state.cards[card];
    for (const CardPort& port : here.ports) {
      const bool is_nic = machine.is_nic(card, port.number);
      text += pci_block(
          here.function_of(port.number),
          is_nic ? nic_name(card, port.number) : "",
          0x15b3,
          here.device_id(),
          machine.passed_through.contains(card) ? "pciPassthru" : "nmlx5_core",
          is_nic ? "0x0200" : "0x0207");
    }
  }
  process.out(text);
  return 0;
}

int vib_list(Process& process, const Call& call) {
  const EsxiMachine& machine = machine_of(process);
  const auto vib =
      [](std::string level, std::string name, std::string vendor, std::string version) {
        return Structure{
            {"AcceptanceLevel", "string", std::move(level)},
            {"CreationDate", "string", "2025-03-01"},
            {"ID", "string", fmt::format("{}_bootbank_{}_{}", vendor, name, version)},
            {"InstallDate", "string", "2025-06-02"},
            {"Name", "string", std::move(name)},
            {"Status", "string", ""},
            {"Vendor", "string", std::move(vendor)},
            {"Version", "string", std::move(version)}};
      };
  const std::string tools = machine.profile.tool_version + ".0.92-0";
  return print(
      process,
      call,
      "VIBExt",
      {vib("VMwareCertified", "esx-base", "VMware", fmt::format("{}-0.70.{}", kVersion, kBuild)),
       vib("VMwareCertified", "nmlx5-core", "VMW", "4.23.0.66-2vmw.803.0.0.24022510"),
       vib("VMwareCertified", "nmlx5-rdma", "VMW", "4.23.0.66-2vmw.803.0.0.24022510"),
       vib("PartnerSupported", "mft", "MEL", tools),
       vib("PartnerSupported", "nmst", "MEL", tools)});
}

int module_list(Process& process, const Call& call) {
  std::vector<Structure> modules;
  for (const auto& [name, options] : machine_of(process).loaded_options) {
    modules.push_back(
        {{"IsEnabled", "boolean", "true"},
         {"IsLoaded", "boolean", machine_of(process).unloaded.contains(name) ? "false" : "true"},
         {"Name", "string", name}});
  }
  return print(process, call, "Module", modules);
}

int version_get(Process& process, const Call& call) {
  return print(
      process,
      call,
      "VersionGet",
      {{{"Build", "string", fmt::format("Releasebuild-{}", kBuild)},
        {"Patch", "string", "70"},
        {"Product", "string", "VMware ESXi"},
        {"Update", "string", "3"},
        {"Version", "string", std::string{kVersion}}}},
      false);
}

int profile_get(Process& process, const Call& /*call*/) {
  process.out(fmt::format(
      "ESXi-8.0U3-{0}-standard\n   Name: ESXi-8.0U3-{0}-standard\n   Vendor: VMware, Inc.\n"
      "   Creation Time: 2025-03-01T00:00:00\n   Stateless Ready: True\n",
      kBuild));
  return 0;
}

const std::map<std::string, Command, std::less<>>& all_commands() {
  static const std::map<std::string, Command, std::less<>> commands{
      {"hardware pci list", pci_list},
      {"network nic list", nic_list},
      {"network sriovnic vf list", vf_list},
      {"rdma device list", rdma_list},
      {"software profile get", profile_get},
      {"software vib list", vib_list},
      // Prints one word (E-esxi-maintenance).
      {"system maintenanceMode get",
       [](Process& process, const Call&) {
         return say(process, machine_of(process).in_maintenance() ? "Enabled" : "Disabled");
       }},
      {"system module list", module_list},
      // Microseconds (E-esxi-uptime).
      {"system stats uptime get",
       [](Process& process, const Call&) {
         return say(process, std::to_string(process.machine().uptime().count() * 1000));
       }},
      {"system uuid get",
       [](Process& process, const Call&) {
         return say(process, machine_of(process).uuid());
       }},
      {"system version get", version_get},
  };
  return commands;
}

}  // namespace

// Prints its errors on standard output (E-esxcli-errors).
int esxcli(Process& process) {
  const Call call = call_of(process.arguments);
  const auto command = all_commands().find(call.path());
  if (command != all_commands().end()) return command->second(process, call);
  const auto changing = changing_commands().find(call.path());
  if (changing != changing_commands().end()) return changing->second(process, call);
  const auto network = network_commands().find(call.path());
  if (network != network_commands().end()) return network->second(process, call);
  process.out("Error: Unknown command or namespace " + call.path() + "\n\n");
  return kFailed;
}

}  // namespace fabric::lab::esxi
