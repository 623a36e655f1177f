// SPDX-License-Identifier: Apache-2.0
#include "providers/linux/lab/network/profile_settings.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "providers/linux/lab/kernel/bonding.hpp"
#include "providers/linux/lab/kernel/interfaces.hpp"
#include "providers/linux/lab/kernel/ipoib.hpp"
#include "providers/linux/lab/kernel/links.hpp"

namespace fabric::lab {
namespace {

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

// What a mode does not have is refused by the kernel, and passed over.
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

}  // namespace

void leave_master(LinuxHost& machine, Interface& interface) {
  const Interface* master = machine.interface_of_index(interface.master);
  if (master == nullptr) return;
  if (master->bond) release(machine, interface);
  interface.master = 0;
  machine.note_change();
}

std::uint32_t free_metric(const LinuxHost& machine, const ConnectionProfile& profile) {
  std::uint32_t metric = profile.type == "bond"         ? 300
                         : profile.type == "vlan"       ? 400
                         : profile.type == "bridge"     ? 425
                         : profile.type == "infiniband" ? 150
                                                        : 100;
  const auto& all = machine.state.network_manager.devices;
  const auto taken = [&] {
    return std::any_of(all.begin(), all.end(), [metric](const ActiveDevice& each) {
      return each.metric == metric && each.profile.master.empty();
    });
  };
  while (taken())
    ++metric;
  return metric;
}

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

}  // namespace fabric::lab
