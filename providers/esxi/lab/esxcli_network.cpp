// SPDX-License-Identifier: Apache-2.0
// The commands of esxcli about virtual switches, the kernel's interfaces on them, and machines.
#include <algorithm>

#include <fmt/format.h>

#include "engine/base/text.hpp"
#include "providers/esxi/lab/esxcli_call.hpp"
#include "providers/esxi/lab/esxi_machine.hpp"
#include "providers/esxi/lab/esxi_programs.hpp"

namespace fabric::lab::esxi {
namespace {

// Blocks, lists of names with ", " between them (E-esxi-vswitch-list).
int vswitch_list(Process& process, const Call& call) {
  const std::string wanted = call.option("-v");
  for (const Vswitch& each : machine_of(process).vswitches()) {
    if (each.is_distributed || (!wanted.empty() && each.name != wanted)) continue;
    process.out(fmt::format(
        "{0}\n   Name: {0}\n   Class: cswitch\n   Num Ports: 2816\n   Used Ports: 5\n"
        "   Configured Ports: 128\n   MTU: {1}\n   CDP Status: listen\n   Beacon Enabled: false\n"
        "   Beacon Interval: 1\n   Beacon Threshold: 3\n   Beacon Required By: \n   Uplinks: {2}\n"
        "   Portgroups: {3}\n",
        each.name,
        each.mtu,
        join(each.uplinks, ", "),
        join(each.port_groups, ", ")));
  }
  return 0;
}

// A port is listed below its switch, indented (E-esxi-dvs-list).
int dvs_list(Process& process, const Call& /*call*/) {
  for (const Vswitch& each : machine_of(process).vswitches()) {
    if (!each.is_distributed) continue;
    process.out(fmt::format(
        "{0}\n   Name: {0}\n   VDS ID: 50 02 70 16 c2 cd 74 37-fb a6 ff 0b 1b cd 0e ee\n"
        "   Class: cswitch\n   Num Ports: 2816\n   Used Ports: 5\n   Configured Ports: 512\n"
        "   MTU: {1}\n   CDP Status: listen\n   Beacon Timeout: -1\n   Uplinks: {2}\n"
        "   VMware Branded: true\n",
        each.name,
        each.mtu,
        join(each.uplinks, ", ")));
    for (const std::string& uplink : each.uplinks)
      process.out(fmt::format(
          "   DVPort:\n         Client: {}\n         DVPortgroup ID: dvportgroup-27\n"
          "         In Use: true\n         Port ID: 12\n",
          uplink));
  }
  return 0;
}

// Sets the switch and its uplinks; the kernel's interfaces keep their MTU.
int vswitch_set(Process& process, const Call& call) {
  EsxiMachine& machine = machine_of(process);
  const std::vector<Vswitch> switches = machine.vswitches();
  for (std::size_t index = 0; index < switches.size(); ++index) {
    if (switches[index].name != call.option("-v") || switches[index].is_distributed) continue;
    if (!call.option("-m").empty())
      machine.configure(fmt::format("/net/vswitch/child[{:04}]/mtu", index), call.option("-m"));
    return 0;
  }
  return fail(process, "Unable to find vswitch " + call.option("-v"));
}

int interface_list(Process& process, const Call& call) {
  const EsxiMachine& machine = machine_of(process);
  std::vector<Structure> rows;
  for (const KernelNic& nic : machine.kernel_nics()) {
    const std::optional<Vswitch> here = machine.vswitch_of_group(nic.port_group);
    const bool distributed = here && here->is_distributed;
    rows.push_back(
        {{"Enabled", "boolean", "true"},
         {"MTU", "integer", nic.mtu},
         {"Name", "string", nic.name},
         {"Portgroup", "string", distributed ? "N/A" : nic.port_group},
         {"Portset",
          "string",
          !here         ? ""
          : distributed ? "DvsPortset-0"
                        : here->name},
         {"VDSName", "string", distributed ? here->name : "N/A"}});
  }
  return print(process, call, "NetworkInterface", rows);
}

int ipv4_get(Process& process, const Call& call) {
  const EsxiMachine& machine = machine_of(process);
  std::vector<Structure> rows;
  for (const KernelNic& nic : machine.kernel_nics())
    rows.push_back(
        {{"AddressType", "string", "STATIC"},
         {"DHCPDNS", "boolean", "false"},
         {"Gateway", "string", "0.0.0.0"},
         {"IPv4Address", "string", machine.configured(nic.place + "ipv4address")},
         {"IPv4Netmask", "string", "255.255.255.0"},
         {"Name", "string", nic.name}});
  return print(process, call, "IPv4Interface", rows);
}

// Larger than its switch carries is refused.
int interface_set(Process& process, const Call& call) {
  EsxiMachine& machine = machine_of(process);
  for (const KernelNic& nic : machine.kernel_nics()) {
    if (nic.name != call.option("-i")) continue;
    const std::optional<Vswitch> here = machine.vswitch_of_group(nic.port_group);
    const std::int64_t wanted = parse_integer(call.option("-m")).value_or(0);
    if (here && wanted > parse_integer(here->mtu).value_or(0))
      return fail(process, "Unable to set the MTU: it is larger than that of " + here->name);
    machine.configure(nic.place + "mtu", call.option("-m"));
    return 0;
  }
  return fail(process, "Unable to find interface " + call.option("-i"));
}

int vm_list(Process& process, const Call& call) {
  std::vector<Structure> rows;
  for (const VirtualMachine& each : machine_of(process).virtual_machines())
    rows.push_back(
        {{"DisplayName", "string", each.name},
         {"VMXCartelID", "integer", std::to_string(each.world - 1)},
         {"WorldID", "integer", std::to_string(each.world)}});
  return print(process, call, "VirtualMachine", rows);
}

int vm_kill(Process& process, const Call& call) {
  EsxiMachine& machine = machine_of(process);
  for (const VirtualMachine& each : machine.virtual_machines()) {
    if (std::to_string(each.world) != call.option("-w")) continue;
    machine.running.erase(each.name);
    machine.note_change();
    return 0;
  }
  return fail(process, "Unable to find a virtual machine with the world ID " + call.option("-w"));
}

}  // namespace

const std::map<std::string, Command, std::less<>>& network_commands() {
  static const std::map<std::string, Command, std::less<>> commands{
      {"network ip interface ipv4 get", ipv4_get},
      {"network ip interface list", interface_list},
      {"network ip interface set", interface_set},
      {"network vswitch dvs vmware list", dvs_list},
      {"network vswitch standard list", vswitch_list},
      {"network vswitch standard set", vswitch_set},
      {"vm process kill", vm_kill},
      {"vm process list", vm_list},
  };
  return commands;
}

// The ping of the kernel's own interfaces (E-esxi-vmkping).
int vmkping(Process& process) {
  std::map<std::string, std::string> options;
  bool whole = false;
  std::string target;
  for (std::size_t i = 1; i < process.arguments.size(); ++i) {
    const std::string& word = process.arguments[i];
    if (word == "-d") {
      whole = true;
    } else if (word.starts_with("-") && word != "-4" && i + 1 < process.arguments.size()) {
      options[word] = process.arguments[++i];
    } else if (word != "-4") {
      target = word;
    }
  }
  const std::optional<IpPrefix> address = IpPrefix::parse(target);
  if (!address) {
    process.out(fmt::format("unknown host: {}\n", target));
    return 1;
  }
  const std::string& from = options["-I"];
  const auto nics = machine_of(process).kernel_nics();
  const bool known =
      std::any_of(nics.begin(), nics.end(), [&](const KernelNic& nic) { return nic.name == from; });
  if (!from.empty() && !known) {
    process.out(fmt::format("Unknown interface '{}': Invalid argument\n", from));
    return 1;
  }
  PingRequest request;
  request.target = *address;
  request.interface = from;
  request.payload = static_cast<std::uint32_t>(parse_integer(options["-s"]).value_or(56));
  request.do_not_fragment = whole;
  process.out(fmt::format("PING {0} ({0}): {1} data bytes\n", target, request.payload));
  const PingResult result = process.session.network.ping(machine_of(process), request);
  const bool answered = result.outcome == PingOutcome::reply;
  if (answered) {
    process.out(fmt::format(
        "{} bytes from {}: icmp_seq=0 ttl=64 time=0.207 ms\n", request.payload + 8, target));
  } else if (result.outcome == PingOutcome::too_long) {
    process.out("sendto() failed (Message too long)\n");
  } else {
    process.session.pass(Duration{1'000 * parse_integer(options["-W"]).value_or(1)});
  }
  process.out(fmt::format(
      "\n--- {} ping statistics ---\n1 packets transmitted, {} packets received, {}% packet loss\n",
      target,
      answered ? 1 : 0,
      answered ? 0 : 100));
  return answered ? 0 : 1;
}

}  // namespace fabric::lab::esxi
