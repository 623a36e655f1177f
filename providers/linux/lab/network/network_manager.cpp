// SPDX-License-Identifier: Apache-2.0
#include "providers/linux/lab/network/network_manager.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "providers/linux/lab/kernel/bonding.hpp"
#include "providers/linux/lab/kernel/interfaces.hpp"
#include "providers/linux/lab/kernel/ipoib.hpp"
#include "providers/linux/lab/kernel/link_files.hpp"
#include "providers/linux/lab/kernel/links.hpp"
#include "providers/linux/lab/network/network_files.hpp"
#include "providers/linux/lab/shell/pattern.hpp"

namespace fabric::lab {

namespace {

// Configures a device by a profile.

// In the order in which they are written; NetworkManager has its own default of miimon.
constexpr std::pair<std::string_view, std::string_view> kBondDefaults[] = {
    {"mode", "balance-rr"},
    {"miimon", "100"},
    {"updelay", "0"},
    {"downdelay", "0"},
    {"xmit_hash_policy", "layer2"},
    {"lacp_rate", "slow"},
    {"ad_select", "stable"},
    {"min_links", "0"},
    {"fail_over_mac", "none"},
    {"primary", ""},
};

// The kernel refuses options that the mode does not have; they are skipped.
void set_bond_options(LinuxHost& machine, Interface& bond, const ConnectionProfile& profile) {
  set_up(machine, bond, false);
  for (const auto& [option, otherwise] : kBondDefaults) {
    std::string value{otherwise};
    for (const auto& [key, given] : profile.bond) {
      if (key == option) value = given;
    }
    if (!value.empty()) set_bond_option(machine, bond, option, value);
  }
}

void set_addresses(
    LinuxHost& machine, Interface& interface, const ConnectionProfile& profile, bool keeps) {
  for (const IpPrefix& address : std::vector<IpPrefix>{interface.addresses}) {
    const auto& wanted = profile.addresses;
    if (!keeps && std::find(wanted.begin(), wanted.end(), address) == wanted.end())
      remove_address(machine, interface, address);
  }
  for (const IpPrefix& address : profile.addresses)
    add_address(machine, interface, address);
}

void set_routes(LinuxHost& machine, const std::string& device, const ActiveDevice& active) {
  const ConnectionProfile& profile = active.profile;
  for (Route& route : machine.state.routes) {
    const bool connected = route.device == device && route.via.empty() && route.table == 0;
    if (connected) route.metric = active.metric;
  }
  for (const std::string& gateway : {profile.gateway, profile.gateway6}) {
    if (!gateway.empty())
      replace_route(machine, "default", gateway, device, {active.metric, 0, ""});
  }
  for (const ProfileRoute& route : profile.routes) {
    replace_route(
        machine,
        route.to,
        route.via,
        device,
        {route.metric.value_or(active.metric), route.table, route.source});
  }
  for (const ProfileRule& rule : profile.rules)
    add_rule(machine, {rule.priority, rule.incoming, rule.table, rule.from});
}

void leave_master(LinuxHost& machine, Interface& interface) {
  const Interface* master = machine.interface_of_index(interface.master);
  if (master == nullptr) return;
  if (master->bond) release(machine, interface);
  interface.master = 0;
  machine.note_change();
}

std::string join_master(
    LinuxHost& machine, const Network& network, Interface& interface, const std::string& name) {
  Interface* master = machine.find_interface(name);
  if (master == nullptr) return "Master device not found";
  if (interface.master == master->index) return {};
  leave_master(machine, interface);
  flush_addresses(machine, interface);
  if (master->bridge) {
    add_bridge(machine, network, name, {std::string{interface.name}});
    return {};
  }
  set_up(machine, interface, false);
  if (!enslave(machine, network, interface, *master).empty())
    return "The device could not be readied for configuration";
  return {};
}

// The default one of its type, or the first after it that no other device has.
std::uint32_t free_metric(const LinuxHost& machine, const ConnectionProfile& profile) {
  std::uint32_t metric = profile.type == "bond"         ? 300
                         : profile.type == "vlan"       ? 400
                         : profile.type == "bridge"     ? 425
                         : profile.type == "infiniband" ? 150
                                                        : 100;
  const auto& all = machine.state.network_manager.devices;
  const auto taken = [&] {
    return std::ranges::any_of(all, [metric](const ActiveDevice& each) {
      return each.metric == metric && each.profile.master.empty();
    });
  };
  while (taken())
    ++metric;
  return metric;
}

// REQUIRES: the device exists. Returns "" or why it failed. `master` "" = it is no port; `keeps`:
// its other addresses stay.
std::string apply_profile(
    LinuxHost& machine,
    const Network& network,
    const ActiveDevice& active,
    const std::string& master,
    bool keeps) {
  const ConnectionProfile& profile = active.profile;
  Interface& interface = *machine.find_interface(active.device);
  if (interface.bond && !keeps) set_bond_options(machine, interface, profile);
  if (interface.ipoib && !set_ipoib_mode(machine, interface, profile.transport_mode))
    return "The device could not be readied for configuration";
  if (profile.mtu) set_mtu(machine, interface, *profile.mtu);
  if (!master.empty()) {
    std::string problem = join_master(machine, network, interface, master);
    show_interfaces(machine, network);
    return problem;
  }
  if (interface.master != 0 && !keeps) leave_master(machine, interface);
  set_addresses(machine, interface, profile, keeps);
  if (interface.vlan) {
    if (Interface* below = machine.interface_of_index(interface.vlan->below))
      set_up(machine, *below, true);
  }
  set_up(machine, interface, true);
  set_routes(machine, active.device, active);
  show_interfaces(machine, network);
  return {};
}

// Selects the ports of a profile of NetworkManager.

// "|a" or "a": one of these; "&a": each of these; "!a": none of these.
bool matches_any(const std::vector<std::string>& patterns, const std::string& text) {
  bool any = false;
  bool asked = false;
  for (const std::string& each : patterns) {
    std::string_view pattern = each;
    const bool must = pattern.starts_with('&');
    if (must || pattern.starts_with('|')) pattern.remove_prefix(1);
    const bool negated = pattern.starts_with('!');
    if (negated) pattern.remove_prefix(1);
    const bool fits = shell::matches(pattern, text);
    if (negated ? fits : must && !fits) return false;
    if (negated || must) continue;
    asked = true;
    any = any || fits;
  }
  return any || !asked;
}

// True if type, name, address and [match] fit; never for NetworkManager's own interfaces.
bool fits_profile(
    const LinuxHost& machine, const Interface& interface, const ConnectionProfile& profile) {
  if (interface.loopback || interface.is_virtual() || profile.is_virtual()) return false;
  if (profile.type != (interface.infiniband ? "infiniband" : "ethernet")) return false;
  if (!profile.interface.empty() && profile.interface != interface.name) return false;
  if (!profile.mac.empty() && profile.mac != interface.permanent_mac) return false;
  return matches_any(profile.match_names, interface.name) &&
         matches_any(profile.match_paths, udev_path(machine, interface)) &&
         matches_any(profile.match_drivers, driver_of(machine, interface));
}

constexpr int kNoDevice = 4;

const ConnectionProfile* profile_of_uuid(const LinuxHost& machine, const std::string& uuid) {
  const auto& all = machine.state.network_manager.profiles;
  const auto found = std::ranges::find_if(
      all, [&uuid](const ConnectionProfile& each) { return each.uuid == uuid; });
  return found == all.end() ? nullptr : &*found;
}

bool has(const std::vector<std::string>& list, const std::string& name) {
  return std::find(list.begin(), list.end(), name) != list.end();
}

bool is_active(const LinuxHost& machine, const ConnectionProfile& profile) {
  const auto& all = machine.state.network_manager.devices;
  return std::ranges::any_of(
      all, [&profile](const ActiveDevice& each) { return each.profile.uuid == profile.uuid; });
}

// The master by the name of its device, its UUID or its id.
const ConnectionProfile* master_of(const LinuxHost& machine, const ConnectionProfile& profile) {
  for (const ConnectionProfile& each : machine.state.network_manager.profiles) {
    const bool named = each.interface == profile.master || each.uuid == profile.master ||
                       each.id == profile.master;
    if (named && each.type == profile.master_type) return &each;
  }
  return nullptr;
}

ProfileActivation no_device(const LinuxHost& machine) {
  std::string other = "lo";
  for (const Interface& each : machine.state.interfaces) {
    if (!each.loopback) {
      other = each.name;
      break;
    }
  }
  return {
      kNoDevice,
      fmt::format(
          "Error: Connection activation failed: No suitable device found for this connection "
          "(device {} not available because profile is not compatible with device (mismatching "
          "interface "
          "name)).",
          other)};
}

// "" if there is no device, and none can be made.
std::string device_for(const LinuxHost& machine, const ConnectionProfile& profile) {
  if (profile.is_virtual()) {
    const Interface* there = machine.find_interface(profile.interface);
    const bool same = there == nullptr || device_type(*there) == profile.type;
    const bool stands = profile.parent.empty() || machine.find_interface(profile.parent) != nullptr;
    return same && stands ? profile.interface : "";
  }
  for (const Interface& each : machine.state.interfaces) {
    const bool fits = fits_profile(machine, each, profile);
    if (fits && (!profile.interface.empty() || device_state(machine, each) == "disconnected"))
      return each.name;
  }
  return {};
}

bool make_device(LinuxHost& machine, const Network& network, const ConnectionProfile& profile) {
  if (machine.find_interface(profile.interface) != nullptr) return true;
  if (profile.type == "bond") return add_bond(machine, network, profile.interface, {}).empty();
  if (profile.type == "bridge") return add_bridge(machine, network, profile.interface, {}).empty();
  if (profile.p_key != 0)
    return create_child(machine, network, profile.parent, std::to_string(profile.p_key)) ==
           FileError::none;
  const Interface* parent = machine.find_interface(profile.parent);
  return add_vlan(machine, network, parent->index, profile.interface, profile.vlan_id).empty();
}

// Removes what the profile made; the device stays.
void undo_settings(LinuxHost& machine, const ActiveDevice& active) {
  std::erase_if(machine.state.routes, [&active](const Route& route) {
    return route.device == active.device && (!route.via.empty() || route.table != 0);
  });
  for (const ProfileRule& rule : active.profile.rules) {
    std::erase(
        machine.state.rules, RoutingRule{rule.priority, rule.incoming, rule.table, rule.from});
  }
}

// The ports of a bond or bridge are activated with it, and go with it.
std::vector<std::string> ports_of(const LinuxHost& machine, const std::string& device) {
  std::vector<std::string> ports;
  const Interface* master = machine.find_interface(device);
  if (master == nullptr || (!master->bond && !master->bridge)) return ports;
  for (const Interface& each : machine.state.interfaces) {
    if (each.master == master->index) ports.push_back(each.name);
  }
  return ports;
}

// Drops devices that were deleted or renamed.
void forget_gone(LinuxHost& machine) {
  std::erase_if(machine.state.network_manager.devices, [&machine](const ActiveDevice& each) {
    return machine.find_interface(each.device) == nullptr;
  });
}

// NOLINTNEXTLINE(misc-no-recursion): a port has no ports
void let_ports_go(LinuxHost& machine, const Network& network, const std::string& device) {
  for (const std::string& port : ports_of(machine, device)) {
    if (active_device(machine, port) != nullptr) deactivate_device(machine, network, port);
  }
}

// `keeps`: other configuration of the device stays, as after a start of the service.
// NOLINTNEXTLINE(misc-no-recursion): a master has no master
ProfileActivation activate(
    LinuxHost& machine, const Network& network, const ConnectionProfile& given, bool keeps) {
  const ConnectionProfile profile = given;
  const std::string device = device_for(machine, profile);
  if (device.empty()) return no_device(machine);
  std::string master;
  if (!profile.master.empty()) {
    const ConnectionProfile* above = master_of(machine, profile);
    if (above == nullptr)
      return {
          kNoDevice,
          fmt::format(
              "Error: Connection activation failed: Can not find a master for {}: Master "
              "connection not found or invalid",
              profile.id)};
    master = above->interface;
    if (!is_active(machine, *above)) {
      ProfileActivation first = activate(machine, network, *above, false);
      if (first.status != 0) return first;
    }
  }
  if (!make_device(machine, network, profile)) return no_device(machine);
  std::vector<ActiveDevice>& all = machine.state.network_manager.devices;
  const ActiveDevice* before = active_device(machine, device);
  const Interface* interface = machine.find_interface(device);
  ActiveDevice active{
      device,
      profile,
      before != nullptr ? before->metric : free_metric(machine, profile),
      before != nullptr ? before->former_mtu : interface->mtu};
  if (before != nullptr) undo_settings(machine, *before);
  if (!keeps) let_ports_go(machine, network, device);
  std::erase_if(all, [&device](const ActiveDevice& each) { return each.device == device; });
  const std::string problem = apply_profile(machine, network, active, master, keeps);
  if (!problem.empty()) return {kNoDevice, "Error: Connection activation failed: " + problem};
  machine.state.network_manager.devices.push_back(active);
  std::erase(machine.state.network_manager.held, profile.uuid);
  machine.note_change();
  const bool waits = profile.type == "bond" || profile.type == "bridge";
  return {
      0,
      fmt::format(
          "Connection successfully activated {}(D-Bus active path: "
          "/org/freedesktop/NetworkManager/ActiveConnection/{})",
          waits ? "(master waiting for slaves) " : "",
          ++machine.state.network_manager.activations)};
}

// The fitting profile of the highest priority.
const ConnectionProfile* best_for(const LinuxHost& machine, const Interface& interface) {
  const ConnectionProfile* best = nullptr;
  const NetworkManagerState& manager = machine.state.network_manager;
  for (const ConnectionProfile& each : manager.profiles) {
    const bool free = each.automatic && !has(manager.held, each.uuid) && !is_active(machine, each);
    if (each.is_virtual() || !free || !fits_profile(machine, interface, each)) continue;
    if (!each.master.empty() && master_of(machine, each) == nullptr) continue;
    if (best == nullptr || each.priority > best->priority) best = &each;
  }
  return best;
}

// True if one was.
bool activate_one(LinuxHost& machine, const Network& network) {
  NetworkManagerState& manager = machine.state.network_manager;
  for (const ConnectionProfile& each : manager.profiles) {
    const bool wants = each.is_virtual() && each.automatic && !has(manager.held, each.uuid);
    if (!wants || is_active(machine, each)) continue;
    if (machine.find_interface(each.interface) != nullptr) continue;  // a foreign one
    if (activate(machine, network, each, false).status == 0) return true;
  }
  // Interfaces are added meanwhile, with a master.
  for (std::size_t i = 0; i < machine.state.interfaces.size(); ++i) {
    const Interface& each = machine.state.interfaces[i];
    if (device_state(machine, each) != "disconnected") continue;
    const ConnectionProfile* profile = best_for(machine, each);
    if (profile != nullptr && activate(machine, network, *profile, false).status == 0) return true;
  }
  return false;
}

}  // namespace

bool network_manager_runs(const LinuxHost& machine) {
  return machine.runs_service(kNetworkManagerUnit);
}

void network_manager_start(LinuxHost& machine, const Network& network) {
  NetworkManagerState& manager = machine.state.network_manager;
  manager.profiles = read_keyfiles(machine.state.files);
  manager.held.clear();
  manager.unmanaged.clear();
  for (const ActiveDevice& each : std::vector<ActiveDevice>{manager.devices}) {
    const ConnectionProfile* profile = profile_of_uuid(machine, each.profile.uuid);
    const bool there = machine.find_interface(each.device) != nullptr;
    // Without its profile it is foreign, whatever it has.
    if (profile == nullptr || !there) {
      std::erase_if(manager.devices, [&each](const ActiveDevice& other) {
        return other.device == each.device;
      });
      continue;
    }
    activate(machine, network, *profile, true);
  }
  activate_automatically(machine, network);
}

void network_manager_reload(LinuxHost& machine, const Network& network) {
  NetworkManagerState& manager = machine.state.network_manager;
  forget_gone(machine);
  manager.profiles = read_keyfiles(machine.state.files);
  for (const ActiveDevice& each : std::vector<ActiveDevice>{manager.devices}) {
    if (profile_of_uuid(machine, each.profile.uuid) == nullptr)
      deactivate_device(machine, network, each.device);
  }
  activate_automatically(machine, network);
}

ProfileActivation activate_profile(
    LinuxHost& machine, const Network& network, const ConnectionProfile& profile) {
  forget_gone(machine);
  ProfileActivation done = activate(machine, network, profile, false);
  if (done.status != 0) return done;
  if (profile.brings_ports) {
    for (const ConnectionProfile& each : std::vector{machine.state.network_manager.profiles}) {
      const ConnectionProfile* master = each.master.empty() ? nullptr : master_of(machine, each);
      if (master != nullptr && master->uuid == profile.uuid)
        activate(machine, network, each, false);
    }
  }
  activate_automatically(machine, network);
  settle_bonds(machine, network);
  return done;
}

// NOLINTNEXTLINE(misc-no-recursion): a port has no ports
void deactivate_device(LinuxHost& machine, const Network& network, const std::string& device) {
  const ActiveDevice* found = active_device(machine, device);
  if (found == nullptr) return;
  const ActiveDevice active = *found;
  undo_settings(machine, active);
  let_ports_go(machine, network, device);
  std::erase_if(machine.state.network_manager.devices, [&device](const ActiveDevice& each) {
    return each.device == device;
  });
  Interface* interface = machine.find_interface(device);
  if (interface == nullptr) return;
  if (active.profile.is_virtual()) {
    delete_link(machine, network, device);
    return;
  }
  flush_addresses(machine, *interface);
  if (!active.profile.master.empty()) leave_master(machine, *interface);
  if (active.profile.mtu) set_mtu(machine, *interface, active.former_mtu);
  set_up(machine, *interface, true);
  machine.note_change();
  show_interfaces(machine, network);
}

void activate_automatically(LinuxHost& machine, const Network& network) {
  forget_gone(machine);
  // Each profile at most once, and a master may come with its port.
  std::size_t left = 2 * machine.state.network_manager.profiles.size();
  while (left > 0 && activate_one(machine, network))
    --left;
  settle_bonds(machine, network);
}

const ActiveDevice* active_device(const LinuxHost& machine, const std::string& device) {
  const auto& all = machine.state.network_manager.devices;
  const auto found = std::ranges::find_if(
      all, [&device](const ActiveDevice& each) { return each.device == device; });
  return found == all.end() ? nullptr : &*found;
}

std::string device_state(const LinuxHost& machine, const Interface& interface) {
  if (interface.loopback) return "connected (externally)";
  if (has(machine.state.network_manager.unmanaged, interface.name)) return "unmanaged";
  if (const ActiveDevice* active = active_device(machine, interface.name)) {
    const ConnectionProfile& profile = active->profile;
    const bool asks =
        profile.master.empty() && profile.method4 == "auto" && interface.addresses.empty();
    return asks ? "connecting (getting IP configuration)" : "connected";
  }
  const bool configured = interface.up && (!interface.addresses.empty() || interface.master != 0);
  if (configured || (interface.is_virtual() && interface.up)) return "connected (externally)";
  return interface.is_virtual() ? "unmanaged" : "disconnected";
}

std::string device_type(const Interface& interface) {
  if (interface.loopback) return "loopback";
  if (interface.bond) return "bond";
  if (interface.bridge) return "bridge";
  if (interface.vlan) return "vlan";
  return interface.infiniband ? "infiniband" : "ethernet";
}

}  // namespace fabric::lab
