// SPDX-License-Identifier: Apache-2.0
#include "providers/linux/lab/network/networkd.hpp"

#include <algorithm>

#include "providers/linux/lab/kernel/bonding.hpp"
#include "providers/linux/lab/kernel/interfaces.hpp"
#include "providers/linux/lab/kernel/link_files.hpp"
#include "providers/linux/lab/kernel/links.hpp"

namespace fabric::lab {
namespace {

const NetdevFile* netdev_of(const LinuxHost& machine, const std::string& name) {
  const auto& files = machine.state.netdevs;
  const auto found = std::find_if(
      files.begin(), files.end(), [&](const NetdevFile& file) { return file.name == name; });
  return found == files.end() ? nullptr : &*found;
}

// Makes devices that stand on no other. An existing device is never updated.
void make_netdevs(LinuxHost& machine, const Network& network) {
  for (const NetdevFile& file : std::vector<NetdevFile>{machine.state.netdevs}) {
    const bool stands_alone = file.kind == "bond" || file.kind == "bridge";
    if (!stands_alone || machine.find_interface(file.name) != nullptr) continue;
    if (file.kind == "bond") add_bond(machine, network, file.name, file.bond);
    if (file.kind == "bridge") add_bridge(machine, network, file.name, {});
    Interface* made = machine.find_interface(file.name);
    if (made != nullptr && file.mtu) set_mtu(machine, *made, *file.mtu);
  }
}

// Returns the indices of those that are new.
std::vector<std::uint32_t> make_vlans(
    LinuxHost& machine,
    const Network& network,
    std::uint32_t below,
    const std::vector<std::string>& names) {
  std::vector<std::uint32_t> made_now;
  for (const std::string& name : names) {
    const NetdevFile* file = netdev_of(machine, name);
    if (file == nullptr || file->kind != "vlan" || machine.find_interface(name) != nullptr)
      continue;
    add_vlan(machine, network, below, name, file->vlan_id);
    Interface* made = machine.find_interface(name);
    if (made == nullptr) continue;
    if (file->mtu) set_mtu(machine, *made, *file->mtu);
    made_now.push_back(made->index);
  }
  return made_now;
}

void join_bridge(
    LinuxHost& machine, const Network& network, std::uint32_t index, const std::string& bridge) {
  const Interface* found = machine.find_interface(bridge);
  Interface& interface = *machine.interface_of_index(index);
  if (found == nullptr || !found->bridge || interface.master == found->index) return;
  if (interface.master != 0) release(machine, interface);
  add_bridge(machine, network, bridge, {std::string{interface.name}});
}

// Takes a slave down first if the kernel refuses it while it is up.
void set_master(
    LinuxHost& machine, const Network& network, std::uint32_t index, const NetworkFile& file) {
  if (!file.bridge.empty()) return join_bridge(machine, network, index, file.bridge);
  Interface& interface = *machine.interface_of_index(index);
  Interface* bond = file.bond.empty() ? nullptr : machine.find_interface(file.bond);
  if (bond == nullptr || !bond->bond) {
    if (interface.master == 0) return;
    release(machine, interface);
  } else if (machine.state.netdevs_made_again.contains(bond->name)) {
    return;  // "configuring" for ever
  } else if (interface.master != bond->index) {
    set_up(machine, interface, false);
    if (file.primary_slave) set_bond_option(machine, *bond, "primary", interface.name);
    enslave(machine, network, interface, *bond);
  } else {
    if (file.primary_slave) set_bond_option(machine, *bond, "primary", interface.name);
    return;
  }
  show_interfaces(machine, network);
}

void set_addresses(LinuxHost& machine, Interface& interface, const NetworkFile& file) {
  const std::vector<IpPrefix> before = interface.addresses;
  for (const IpPrefix& address : before) {
    const bool wanted =
        std::find(file.addresses.begin(), file.addresses.end(), address) != file.addresses.end();
    if (!wanted) remove_address(machine, interface, address);
  }
  for (const IpPrefix& address : file.addresses)
    add_address(machine, interface, address);
}

// Removes routes that networkd made and that no file has any more.
void set_routes(LinuxHost& machine, const Interface& interface, const NetworkFile& file) {
  std::erase_if(machine.state.routes, [&interface](const Route& route) {
    return route.device == interface.name && (!route.via.empty() || route.table != 0);
  });
  for (const NetworkFileRoute& route : file.routes) {
    if (!route.hops.empty()) continue;
    replace_route(
        machine, route.to, route.via, interface.name, {route.metric, route.table, route.source});
  }
  for (const RoutingRule& rule : file.rules)
    add_rule(machine, rule);
  if (!file.gateway.empty()) set_default_route(machine, file.gateway, interface.name);
}

// Routes over several links are made when all links exist.
void set_shared_routes(LinuxHost& machine) {
  for (const Interface& interface : std::vector<Interface>{machine.state.interfaces}) {
    const NetworkFile* file =
        interface.network_file.empty() ? nullptr : network_file_for(machine, interface);
    for (const NetworkFileRoute& route :
         file == nullptr ? std::vector<NetworkFileRoute>{} : file->routes) {
      if (!route.hops.empty())
        replace_shared_route(
            machine, route.to, route.hops, {route.metric, route.table, route.source});
    }
  }
}

NetworkFile file_of(const LinuxHost& machine, const Interface& interface) {
  const NetworkFile* file = network_file_for(machine, interface);
  return file == nullptr ? NetworkFile{} : *file;
}

}  // namespace

const NetworkFile* network_file_for(const LinuxHost& machine, const Interface& interface) {
  if (interface.loopback) return nullptr;
  for (const NetworkFile& file : machine.state.networkd) {
    if (networkd_matches(machine, interface, file.match)) return file.unmanaged ? nullptr : &file;
  }
  return nullptr;
}

namespace {

// The devices that were made on it, which are to be configured in turn.
std::vector<std::uint32_t> configure(
    LinuxHost& machine, const Network& network, std::uint32_t index) {
  Interface* interface = machine.interface_of_index(index);
  if (interface == nullptr || interface->loopback) return {};
  const NetworkFile* found = network_file_for(machine, *interface);
  if (found == nullptr) {
    if (!interface->network_file.empty()) flush_addresses(machine, *interface);
    interface->network_file.clear();
    return {};
  }
  const NetworkFile file = *found;
  interface->network_file = file.path;
  set_master(machine, network, index, file);
  interface = machine.interface_of_index(index);
  if (file.mtu) set_mtu(machine, *interface, *file.mtu);
  set_addresses(machine, *interface, file);
  if (file.activate) set_up(machine, *interface, true);
  set_routes(machine, *interface, file);
  return make_vlans(machine, network, index, file.vlans);
}

}  // namespace

void networkd_configure(LinuxHost& machine, const Network& network, std::uint32_t index) {
  std::vector<std::uint32_t> waiting{index};
  while (!waiting.empty()) {
    const std::uint32_t next = waiting.back();
    waiting.pop_back();
    const std::vector<std::uint32_t> made = configure(machine, network, next);
    waiting.insert(waiting.end(), made.begin(), made.end());
  }
  set_shared_routes(machine);
  settle_bonds(machine, network);
}

void networkd_start(LinuxHost& machine, const Network& network) {
  machine.state.networkd = read_network_files(machine);
  machine.state.netdevs = read_netdev_files(machine);
  machine.state.netdevs_made_again.clear();
  make_netdevs(machine, network);
  // A new process does not know the former one's configuration: an interface without a file keeps
  // its addresses (systemd 252 on a Debian 12 kernel).
  for (Interface& interface : machine.state.interfaces)
    interface.network_file.clear();
  // By index, because interfaces are added meanwhile.
  for (std::size_t i = 0; i < machine.state.interfaces.size(); ++i)
    networkd_configure(machine, network, machine.state.interfaces[i].index);
}

void networkd_reload(LinuxHost& machine, const Network& network) {
  std::map<std::uint32_t, NetworkFile> before;
  for (const Interface& interface : machine.state.interfaces)
    before[interface.index] = file_of(machine, interface);
  for (const NetdevFile& file : machine.state.netdevs) {
    if (file.kind == "bond" && machine.find_interface(file.name) == nullptr)
      machine.state.netdevs_made_again.insert(file.name);
  }
  machine.state.networkd = read_network_files(machine);
  machine.state.netdevs = read_netdev_files(machine);
  make_netdevs(machine, network);
  for (std::size_t i = 0; i < machine.state.interfaces.size(); ++i) {
    const Interface& interface = machine.state.interfaces[i];
    const auto old = before.find(interface.index);
    if (old == before.end() || !(file_of(machine, interface) == old->second))
      networkd_configure(machine, network, interface.index);
  }
}

}  // namespace fabric::lab
