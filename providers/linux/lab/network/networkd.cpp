// SPDX-License-Identifier: Apache-2.0
#include "providers/linux/lab/network/networkd.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "engine/base/text.hpp"
#include "providers/linux/lab/host/ini_file.hpp"
#include "providers/linux/lab/kernel/bonding.hpp"
#include "providers/linux/lab/kernel/interfaces.hpp"
#include "providers/linux/lab/kernel/ipoib.hpp"
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

// Half of it is a GUID that no port has.
constexpr const char* kMadeUp = "00:00:00:00:fe:80:00:00:00:00:00:00:02:6e:65:74:77:6f:72:6b";

// VLANs and children of IPoIB. Returns the indices of those that are new.
std::vector<std::uint32_t> make_above(
    LinuxHost& machine,
    const Network& network,
    std::uint32_t below,
    const std::vector<std::pair<std::string, std::string>>& names) {
  std::vector<std::uint32_t> made_now;
  for (const auto& [kind, name] : names) {
    const NetdevFile* file = netdev_of(machine, name);
    if (file == nullptr || file->kind != kind || machine.find_interface(name) != nullptr) continue;
    if (kind == "vlan") add_vlan(machine, network, below, name, file->vlan_id);
    if (kind == "ipoib" && file->p_key != 0) {
      const std::string mac = file->makes_mac ? kMadeUp : "";
      add_child(machine, network, below, name, {file->p_key, false, mac});
    }
    Interface* made = machine.find_interface(name);
    if (made == nullptr) continue;
    if (made->ipoib) set_ipoib_mode(machine, *made, file->ipoib_mode);
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
    const bool wanted = std::ranges::find(file.addresses, address) != file.addresses.end();
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
  return make_above(machine, network, index, file.above);
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

// Files of systemd-networkd: .network and .netdev, with their drop-ins.

namespace {

bool is_true(std::string_view value) {
  return value == "yes" || value == "true" || value == "1" || value == "on";
}

// "100ms", "2s" or seconds without a unit, to milliseconds.
std::string milliseconds(std::string_view text) {
  std::uint64_t factor = 1000;
  if (text.ends_with("ms")) {
    factor = 1;
    text.remove_suffix(2);
  } else if (text.ends_with("s")) {
    text.remove_suffix(1);
  }
  const std::optional<std::uint64_t> number = parse_unsigned(trim(text), 10);
  return number ? std::to_string(*number * factor) : "";
}

// networkd's key to the kernel's option.
constexpr std::pair<std::string_view, std::string_view> kBondKeys[] = {
    {"Mode", "mode"},
    {"MIIMonitorSec", "miimon"},
    {"UpDelaySec", "updelay"},
    {"DownDelaySec", "downdelay"},
    {"FailOverMACPolicy", "fail_over_mac"},
    {"TransmitHashPolicy", "xmit_hash_policy"},
    {"MinLinks", "min_links"},
    {"LACPTransmitRate", "lacp_rate"},
    {"AdSelect", "ad_select"},
};

void read_bond_key(NetdevFile& file, std::string_view key, const std::string& value) {
  for (const auto& [name, option] : kBondKeys) {
    if (key != name) continue;
    file.bond.emplace_back(option, name.ends_with("Sec") ? milliseconds(value) : value);
  }
}

void read_netdev_key(
    NetdevFile& file,
    const std::string& section,
    const std::string& key,
    const std::string& value) {
  if (section == "NetDev" && key == "Name") file.name = value;
  if (section == "NetDev" && key == "Kind") file.kind = value;
  if (section == "NetDev" && key == "MTUBytes") file.mtu = parse_bytes(value);
  if (section == "VLAN" && key == "Id")
    file.vlan_id = static_cast<std::uint32_t>(parse_unsigned(value, 10).value_or(0));
  if (section == "NetDev" && key == "MACAddress") file.makes_mac = value != "none";
  if (section == "IPoIB" && key == "PartitionKey") file.p_key = parse_p_key(value).value_or(0);
  if (section == "IPoIB" && key == "Mode") file.ipoib_mode = value;
  if (section == "Bond") read_bond_key(file, key, value);
}

// A unit's own sections, then those of its drop-ins by their names; a drop-in in /etc hides one of
// the same name in /run.
std::vector<IniSection> sections_of(
    const LinuxHost& machine, const std::string& name, const std::string& path) {
  std::map<std::string, std::string> drop_ins;
  for (const std::string_view folder : kNetworkUnitFolders) {
    const std::string here = fmt::format("{}/{}.d", folder, name);
    for (const std::string& file : machine.state.files.list(here)) {
      if (file.ends_with(".conf") && file.front() != '.') drop_ins[file] = here + "/" + file;
    }
  }
  std::vector<std::string> paths{path};
  for (const auto& [file, where] : drop_ins)
    paths.push_back(where);
  std::vector<IniSection> sections;
  for (const std::string& each : paths) {
    std::string content;
    if (machine.state.files.read(each, "root", content) != FileError::none) continue;
    for (IniSection& section : parse_ini(content))
      sections.push_back(std::move(section));
  }
  return sections;
}

void add_address(NetworkFile& file, const std::string& text) {
  std::optional<IpPrefix> address = IpPrefix::parse(text);
  if (!address) return;
  // Without a length networkd takes the one of the old class.
  if (text.find('/') == std::string::npos && !address->ipv6()) address->set_length(24);
  file.addresses.push_back(*address);
}

std::uint32_t number_of(std::string_view value) {
  return static_cast<std::uint32_t>(parse_unsigned(value, 10).value_or(0));
}

void read_key(
    NetworkFile& file,
    const std::string& section,
    const std::string& key,
    const std::string& value) {
  if (section == "Match") return add_match(file.match, key, value);
  if (section == "Link") {
    if (key == "MTUBytes") file.mtu = parse_bytes(value);
    if (key == "Unmanaged") file.unmanaged = is_true(value);
    if (key == "ActivationPolicy")
      file.activate = value != "down" && value != "always-down" && value != "manual";
  }
  if ((section == "Network" || section == "Address") && key == "Address") add_address(file, value);
  if (section == "Route" && key == "Destination") file.routes.push_back({value, "", "", 0, 0, {}});
  if (section == "Route" && !file.routes.empty()) {
    NetworkFileRoute& route = file.routes.back();
    if (key == "Metric") route.metric = number_of(value);
    if (key == "Table") route.table = number_of(value);
    if (key == "PreferredSource") route.source = value;
    if (key == "MultiPathRoute") route.hops.push_back(value);
  }
  if (section == "RoutingPolicyRule") {
    RoutingRule& rule = file.rules.back();
    if (key == "IncomingInterface") rule.incoming = value;
    if (key == "From") rule.from = value;
    if (key == "Table") rule.table = number_of(value);
    if (key == "Priority") rule.priority = number_of(value);
  }
  if (section == "Route" && key == "Gateway" && !file.routes.empty() &&
      file.routes.back().via.empty()) {
    file.routes.back().via = value;
  } else if ((section == "Network" || section == "Route") && key == "Gateway") {
    file.gateway = value;
  }
  if (section != "Network") return;
  if (key == "Bond") file.bond = value;
  if (key == "Bridge") file.bridge = value;
  if (key == "PrimarySlave") file.primary_slave = is_true(value);
  if (key != "VLAN" && key != "IPoIB") return;
  for (const std::string_view name : split_words(value))
    file.above.emplace_back(to_lower(key), name);
}

}  // namespace

std::vector<NetworkFile> read_network_files(const LinuxHost& machine) {
  std::vector<NetworkFile> files;
  for (const auto& [name, path] : network_unit_files(machine, ".network")) {
    NetworkFile file;
    file.path = path;
    for (const IniSection& section : sections_of(machine, name, path)) {
      if (section.name == "RoutingPolicyRule") file.rules.emplace_back();
      for (const auto& [key, value] : section.keys)
        read_key(file, section.name, key, value);
    }
    files.push_back(std::move(file));
  }
  return files;
}

std::vector<NetdevFile> read_netdev_files(const LinuxHost& machine) {
  std::vector<NetdevFile> files;
  for (const auto& [name, path] : network_unit_files(machine, ".netdev")) {
    NetdevFile file;
    for (const IniSection& section : sections_of(machine, name, path)) {
      for (const auto& [key, value] : section.keys)
        read_netdev_key(file, section.name, key, value);
    }
    if (!file.name.empty()) files.push_back(std::move(file));
  }
  return files;
}

}  // namespace fabric::lab
