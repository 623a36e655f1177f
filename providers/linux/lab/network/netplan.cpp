// SPDX-License-Identifier: Apache-2.0
#include "providers/linux/lab/network/netplan.hpp"

#include "providers/linux/lab/kernel/link_files.hpp"
#include "providers/linux/lab/kernel/links.hpp"
#include "providers/linux/lab/network/network_files.hpp"
#include "providers/linux/lab/network/networkd.hpp"

namespace fabric::lab {
namespace {

constexpr int kConfigurationError = 78;  // EX_CONFIG
constexpr std::string_view kFolder = "/run/systemd/network";
constexpr std::string_view kStart = "10-netplan-";

std::vector<std::string> generated_files(const FileTree& files) {
  std::vector<std::string> paths;
  for (const std::string& name : files.list(kFolder)) {
    if (name.starts_with(kStart)) paths.push_back(std::string{kFolder} + "/" + name);
  }
  return paths;
}

// `udevadm test-builtin net_setup_link` of every device, up or not. A name stays as it is.
void apply_link_files(LinuxHost& machine) {
  for (Interface& interface : machine.state.interfaces) {
    if (interface.loopback || interface.is_virtual()) continue;
    const LinkSettings settings = link_settings(machine, interface);
    if (settings.mtu && *settings.mtu != interface.mtu) set_mtu(machine, interface, *settings.mtu);
  }
}

}  // namespace

NetplanGenerated netplan_generate(LinuxHost& machine) {
  const NetplanState state = read_netplan(machine.state.files);
  if (!state.problem.empty()) return {1, state.warnings + state.problem};
  for (const std::string& path : generated_files(machine.state.files))
    machine.state.files.remove(path, "root");
  for (const NetplanFile& file : netplan_networkd_files(state))
    machine.state.files.install(file.path, file.content);
  return {0, state.warnings};
}

int netplan_apply(Process& process) {
  LinuxHost& machine = process.machine();
  const bool before = !generated_files(process.files()).empty();
  const NetplanGenerated generated = netplan_generate(machine);
  process.err(generated.messages);
  if (generated.status != 0) return kConfigurationError;
  machine.note_change();
  note_network_in_force(machine);
  apply_link_files(machine);
  if (!before && generated_files(process.files()).empty()) return 0;
  const Network& network = process.session.network;
  Service& service = machine.state.services["systemd-networkd"];
  if (!service.active) {
    process.err("WARNING:root:Falling back to a hard restart of systemd-networkd.service\n");
    networkd_start(machine, network);
    service.active = true;
    return 0;
  }
  networkd_reload(machine, network);
  // `networkctl reconfigure` of all that it configures now.
  std::vector<std::uint32_t> configured;
  for (const Interface& interface : machine.state.interfaces) {
    if (network_file_for(machine, interface) != nullptr) configured.push_back(interface.index);
  }
  for (const std::uint32_t index : configured)
    networkd_configure(machine, network, index);
  return 0;
}

}  // namespace fabric::lab
