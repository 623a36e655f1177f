// SPDX-License-Identifier: Apache-2.0
#include "providers/linux/lab/kernel/interfaces.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "engine/base/text.hpp"
#include "providers/linux/lab/kernel/bonding.hpp"
#include "providers/linux/lab/kernel/ipoib.hpp"
#include "providers/linux/lab/kernel/kernel_files.hpp"
#include "providers/linux/lab/kernel/link_files.hpp"
#include "providers/linux/lab/kernel/links.hpp"
#include "providers/linux/lab/kernel/modules.hpp"
#include "providers/linux/lab/kernel/ports.hpp"
#include "providers/linux/lab/kernel/udev_rules.hpp"

namespace fabric::lab {
namespace {

constexpr std::uint32_t kEthernetMtuMost = 9978;  // mlx5 and mlx4
constexpr std::uint32_t kIpoibMtu = 2044;         // the default partition's 2048 minus 4
constexpr std::uint32_t kIpoibMtuMost = 4092;
constexpr std::uint32_t kLongestMtu = 65535;  // of a bond or VLAN by itself
constexpr std::uint32_t kVlanIds = 4095;

std::uint32_t next_index(const LinuxHost& machine) {
  std::uint32_t index = 0;
  for (const Interface& interface : machine.state.interfaces)
    index = std::max(index, interface.index);
  return index + 1;
}

// The MAC that systemd makes of the machine id and the name: the same at every boot, and unique.
std::string persistent_mac(const LinuxHost& machine, const std::string& name) {
  std::string text;
  machine.state.files.read("/etc/machine-id", "root", text);
  text += name;
  std::uint64_t hash = 0xcbf29ce484222325ULL;
  for (const char c : text)
    hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3ULL;
  return mac_text((hash & 0x00FF'FFFF'FFFFULL) | 0x0200'0000'0000ULL);
}

bool known_module(LinuxHost& machine, const Network& network, const std::string& module) {
  if (machine.state.modules.contains(module)) return true;
  if (!load_module(machine, module).empty()) return false;
  if (module == "bonding") make_bonds_of_module(machine, network);
  return true;
}

Interface plain_virtual(const LinuxHost& machine, const std::string& name) {
  Interface interface;
  interface.name = name;
  interface.mac = persistent_mac(machine, name);
  interface.mtu_most = kLongestMtu;
  return interface;
}

Interface& put_bond(LinuxHost& machine, const std::string& name) {
  Interface interface = plain_virtual(machine, name);
  interface.bond.emplace();
  machine.note_change();
  return add_interface(machine, std::move(interface));
}

}  // namespace

void apply_all_sysctls(LinuxHost& machine, const std::string& only) {
  for (const SysctlLine& line : sysctl_lines(machine)) {
    if (only.empty() || line.path.find("/" + only + "/") != std::string::npos ||
        line.path.find('*') != std::string::npos) {
      apply_sysctl(machine, line);
    }
  }
}

Interface& add_interface(LinuxHost& machine, Interface interface) {
  interface.index = next_index(machine);
  LinkSettings settings = link_settings(machine, interface);
  if (const std::string name = judge_by_rules(machine, interface).name; !name.empty())
    settings.name = name;
  const bool free = !settings.name.empty() && machine.find_interface(settings.name) == nullptr;
  if (free) interface.name = settings.name;
  if (settings.mtu && interface.ipoib)
    set_ipoib_mtu(machine, interface, *settings.mtu);
  else if (settings.mtu)
    interface.mtu = std::min(*settings.mtu, interface.mtu_most);
  make_interface_sysctls(machine, interface.name);
  machine.state.interfaces.push_back(std::move(interface));
  return machine.state.interfaces.back();
}

void remove_interface(LinuxHost& machine, std::uint32_t index) {
  std::vector<std::uint32_t> gone{index};
  // A VLAN may be on a VLAN, always on an earlier one.
  for (const Interface& each : machine.state.interfaces) {
    if (std::find(gone.begin(), gone.end(), each.below()) != gone.end()) gone.push_back(each.index);
  }
  for (; !gone.empty(); gone.pop_back()) {
    Interface* interface = machine.interface_of_index(gone.back());
    if (interface == nullptr) continue;
    release(machine, *interface);
    release_all(machine, *interface);
    for (Interface& port : machine.state.interfaces)
      if (interface->bridge && port.master == interface->index) port.master = 0;
    set_up(machine, *interface, false);
    remove_interface_sysctls(machine, interface->name);
    std::erase_if(
        machine.state.interfaces, [&](const Interface& each) { return each.index == gone.back(); });
  }
}

std::string add_bond(
    LinuxHost& machine,
    const Network& network,
    const std::string& name,
    const std::vector<std::pair<std::string, std::string>>& options) {
  if (!known_module(machine, network, "bonding")) return "Error: Unknown device type.";
  if (machine.find_interface(name) != nullptr) return "RTNETLINK answers: File exists";
  const std::uint32_t index = put_bond(machine, name).index;
  for (const auto& [option, value] : options) {
    std::string problem =
        set_bond_option(machine, *machine.interface_of_index(index), option, value);
    if (problem.empty()) continue;
    remove_interface(machine, index);
    return problem;
  }
  show_interfaces(machine, network);
  return "";
}

std::string add_vlan(
    LinuxHost& machine,
    const Network& network,
    std::uint32_t below,
    const std::string& name,
    std::uint32_t id) {
  if (!known_module(machine, network, "8021q")) return "Error: Unknown device type.";
  const Interface* carrier = machine.interface_of_index(below);
  if (carrier == nullptr || carrier->infiniband || carrier->loopback)
    return "Error: Device does not support VLANs.";
  if (id >= kVlanIds) return "Error: Invalid VLAN id.";
  const bool taken = std::ranges::any_of(machine.state.interfaces, [&](const Interface& one) {
    return one.name == name || one.vlan == Vlan{id, below};
  });
  if (taken) return "RTNETLINK answers: File exists";
  Interface vlan = plain_virtual(machine, name);
  vlan.vlan = Vlan{id, below};
  vlan.mac = carrier->mac;
  vlan.mtu = carrier->mtu;
  machine.note_change();
  add_interface(machine, std::move(vlan));
  show_interfaces(machine, network);
  return "";
}

std::string add_child(
    LinuxHost& machine,
    const Network& network,
    std::uint32_t parent,
    const std::string& name,
    const NewChild& child) {
  const Interface* port = machine.interface_of_index(parent);
  if (port == nullptr || !port->ipoib) return "RTNETLINK answers: No such device";
  if (port->is_virtual()) return "RTNETLINK answers: Invalid argument";
  if (machine.find_interface(name) != nullptr) return "RTNETLINK answers: File exists";
  // No folder of the card's in /sys, and another P_Key; the rest as its parent (ipoib_child_init).
  Interface made = plain_virtual(machine, name);
  made.infiniband = true;
  made.card = port->card;
  made.port = port->port;
  made.permanent_mac = port->permanent_mac;
  made.mac = child.mac.empty() ? made.permanent_mac : child.mac;
  made.mtu = kIpoibMtu;
  made.mtu_most = port->mtu_most;
  made.ipoib.emplace();
  made.ipoib->can_connect = port->ipoib->can_connect;
  made.ipoib->parent = parent;
  made.ipoib->key = child.key;
  made.ipoib->by_create_child = child.by_create_child;
  machine.note_change();
  add_interface(machine, std::move(made));
  settle_ipoib(machine, network);
  show_interfaces(machine, network);
  return "";
}

FileError create_child(
    LinuxHost& machine, const Network& network, const std::string& parent, std::string_view key) {
  const Interface* port = machine.find_interface(parent);
  const auto parsed = parse_p_key(key);
  if (port == nullptr || !parsed) return FileError::invalid;
  const std::string name = fmt::format("{}.{:04x}", parent, *parsed);
  if (machine.find_interface(name) != nullptr) return FileError::exists;
  return add_child(machine, network, port->index, name, {*parsed, true}).empty()
             ? FileError::none
             : FileError::invalid;
}

FileError delete_child(
    LinuxHost& machine, const Network& network, const std::string& parent, std::string_view key) {
  const Interface* port = machine.find_interface(parent);
  const auto parsed = parse_p_key(key);
  for (const Interface& each : machine.state.interfaces) {
    const bool is_it = port != nullptr && parsed && each.ipoib && each.ipoib->by_create_child &&
                       each.ipoib->parent == port->index && each.ipoib->key == *parsed;
    if (!is_it) continue;
    delete_link(machine, network, std::string{each.name});
    return FileError::none;
  }
  return FileError::not_found;
}

std::string add_bridge(
    LinuxHost& machine,
    const Network& network,
    const std::string& name,
    const std::vector<std::string>& ports) {
  if (machine.find_interface(name) == nullptr) {
    Interface made = plain_virtual(machine, name);
    made.bridge = true;
    add_interface(machine, std::move(made));
    machine.note_change();
  }
  Interface* bridge = machine.find_interface(name);
  if (!bridge->bridge) return "RTNETLINK answers: File exists";
  for (const std::string& each : ports) {
    Interface* port = machine.find_interface(each);
    if (port == nullptr || port->master != 0 || port->loopback || port->infiniband) continue;
    port->master = bridge->index;
    // While it was given no other MAC.
    bridge->mac = port->mac;
    bridge->mtu = port->mtu;
    set_up(machine, *port, true);
    machine.note_change();
  }
  show_interfaces(machine, network);
  return "";
}

std::string delete_link(LinuxHost& machine, const Network& network, const std::string& name) {
  const Interface* interface = machine.find_interface(name);
  if (interface == nullptr) return fmt::format("Cannot find device \"{}\"", name);
  if (!interface->is_virtual()) return "RTNETLINK answers: Operation not supported";
  remove_interface(machine, interface->index);
  machine.note_change();
  show_interfaces(machine, network);
  return "";
}

void make_bonds_of_module(LinuxHost& machine, const Network& network) {
  const auto& parameters = machine.state.modules["bonding"];
  const auto most = parameters.find("max_bonds");
  const std::uint64_t count =
      most == parameters.end() ? 0 : parse_unsigned(most->second, 10).value_or(0);
  for (std::uint64_t i = 0; i < std::min<std::uint64_t>(count, 16); ++i) {
    const std::string name = fmt::format("bond{}", i);
    if (machine.find_interface(name) == nullptr) put_bond(machine, name);
  }
  show_interfaces(machine, network);
}

void remove_links_of_module(LinuxHost& machine, const Network& network, std::string_view module) {
  std::vector<std::uint32_t> gone;
  for (const Interface& interface : machine.state.interfaces) {
    if (module == "bonding" ? interface.bond.has_value() : interface.vlan.has_value())
      gone.push_back(interface.index);
  }
  for (const std::uint32_t index : gone)
    remove_interface(machine, index);
  show_interfaces(machine, network);
}

void show_interfaces(LinuxHost& machine, const Network& network) {
  settle_bonds(machine, network);
  install_proc(machine, network);
  install_sysfs(machine, network);
}

void remove_card_interfaces(LinuxHost& machine, std::size_t card) {
  std::vector<std::uint32_t> gone;
  for (const Interface& interface : machine.state.interfaces) {
    if (interface.card == card) gone.push_back(interface.index);
  }
  for (const std::uint32_t index : gone)
    remove_interface(machine, index);
}

void make_card_interfaces(LinuxHost& machine, std::size_t card) {
  remove_card_interfaces(machine, card);
  for (const CardPort& port : machine.state.cards[card].ports) {
    const Card& here = machine.state.cards[card];
    Interface interface;
    interface.name = interface_name(here, port);
    interface.card = card;
    interface.port = port.number;
    interface.infiniband = port.link_type == LinkType::infiniband;
    interface.mac = port.mac;
    interface.mtu_most = kEthernetMtuMost;
    if (interface.infiniband) {
      // The first octet has the connected-mode bit on mlx4 only.
      std::string guid = guid_text(port.guid);
      guid.erase(std::remove(guid.begin(), guid.end(), ':'), guid.end());
      interface.mac = here.mlx4() ? "80:00:02:08:fe:80:00:00:00:00:00:00"
                                  : "00:00:10:29:fe:80:00:00:00:00:00:00";
      for (std::size_t i = 0; i < guid.size(); i += 2)
        interface.mac += ":" + guid.substr(i, 2);
      interface.mtu = kIpoibMtu;
      interface.mtu_most = here.mlx4() ? 65520 : kIpoibMtuMost;
      interface.ipoib.emplace();
      interface.ipoib->can_connect = here.mlx4();
    }
    interface.permanent_mac = interface.mac;
    add_interface(machine, std::move(interface));
    apply_all_sysctls(machine, machine.state.interfaces.back().name);
  }
}

}  // namespace fabric::lab
