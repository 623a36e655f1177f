// SPDX-License-Identifier: Apache-2.0
#include "providers/linux/lab/commands/network/link_info.hpp"

#include <fmt/format.h>

#include "providers/linux/lab/kernel/bonding.hpp"
#include "providers/linux/lab/kernel/lacp.hpp"

namespace fabric::lab::commands {
namespace {

std::string aggregator(const LacpView& view) {
  if (!view.first) return "";
  const LacpPort& first = view.ports[*view.first];
  return fmt::format(
      R"(,"ad_info":{{"aggregator":{},"num_ports":{},"actor_key":{},"partner_key":{},"partner_mac":"{}"}})",
      view.aggregator,
      view.member_ports,
      first.key,
      first.partner ? first.partner->key : 1,
      first.partner ? first.partner->system : "00:00:00:00:00:00");
}

std::string bond_data(const Network& network, const LinuxHost& machine, const Interface& bond) {
  const Bond& state = *bond.bond;
  std::string text = fmt::format(R"("mode":"{}")", bond_option_name(bond, "mode"));
  for (const char* name : {"active_slave", "primary"}) {
    const std::string slave = bond_option(machine, bond, name);
    if (!slave.empty()) text += fmt::format(R"(,"{}":"{}")", name, slave);
  }
  text += fmt::format(
      R"(,"miimon":{},"updelay":{},"downdelay":{},"peer_notify_delay":0,"use_carrier":1,"xmit_hash_policy":"{}","fail_over_mac":"{}","min_links":{},"ad_lacp_rate":"{}","ad_select":"{}")",
      state.miimon,
      state.updelay * state.miimon,
      state.downdelay * state.miimon,
      bond_option_name(bond, "xmit_hash_policy"),
      bond_option_name(bond, "fail_over_mac"),
      state.min_links,
      bond_option_name(bond, "lacp_rate"),
      bond_option_name(bond, "ad_select"));
  if (state.mode == BondMode::lacp) text += aggregator(lacp_view(network, machine, bond));
  return text;
}

std::string slave_data(const Network& network, const LinuxHost& machine, const Interface& slave) {
  const Interface* bond = machine.interface_of_index(slave.master);
  if (bond != nullptr && bond->bridge)
    return R"("info_slave_kind":"bridge","info_slave_data":{"state":"forwarding"})";
  const BondSlave* entry =
      bond == nullptr || !bond->bond ? nullptr : find_slave(*bond, slave.index);
  if (entry == nullptr) return "";
  return fmt::format(
      R"("info_slave_kind":"bond","info_slave_data":{{"state":"{}","mii_status":"{}","link_failure_count":{},"perm_hwaddr":"{}","queue_id":0}})",
      receives(network, machine, *bond, slave.index) ? "ACTIVE" : "BACKUP",
      entry->link ? "UP" : "DOWN",
      entry->failures,
      slave.permanent_mac);
}

}  // namespace

std::string linkinfo(const Network& network, const LinuxHost& machine, const Interface& interface) {
  std::string text;
  if (interface.bond) {
    text = fmt::format(
        R"("info_kind":"bond","info_data":{{{}}})", bond_data(network, machine, interface));
  }
  if (interface.bridge) text = R"("info_kind":"bridge","info_data":{"stp_state":0})";
  if (interface.vlan) {
    text = fmt::format(
        R"("info_kind":"vlan","info_data":{{"protocol":"802.1Q","id":{},"flags":["REORDER_HDR"]}})",
        interface.vlan->id);
  }
  const std::string slave = slave_data(network, machine, interface);
  if (!text.empty() && !slave.empty()) text += ",";
  text += slave;
  return text.empty() ? "" : fmt::format(R"(,"linkinfo":{{{}}})", text);
}

}  // namespace fabric::lab::commands
