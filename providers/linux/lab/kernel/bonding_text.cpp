// SPDX-License-Identifier: Apache-2.0
// /proc/net/bonding/NAME as bond_procfs.c of Linux 6.1 prints it for root.
#include <fmt/format.h>

#include "providers/linux/lab/kernel/bonding.hpp"
#include "providers/linux/lab/kernel/kernel_files.hpp"
#include "providers/linux/lab/kernel/lacp.hpp"
#include "providers/linux/lab/kernel/modules.hpp"
#include "providers/linux/lab/kernel/ports.hpp"

namespace fabric::lab {
namespace {

constexpr std::string_view kNobody = "00:00:00:00:00:00";

std::string_view mode_text(BondMode mode) {
  switch (mode) {
    case BondMode::balance_rr:
      return "load balancing (round-robin)";
    case BondMode::active_backup:
      return "fault-tolerance (active-backup)";
    case BondMode::balance_xor:
      return "load balancing (xor)";
    case BondMode::broadcast:
      return "fault-tolerance (broadcast)";
    case BondMode::lacp:
      return "IEEE 802.3ad Dynamic link aggregation";
    case BondMode::balance_tlb:
      return "transmit load balancing";
    case BondMode::balance_alb:
      break;
  }
  return "adaptive load balancing";
}

bool hashes(BondMode mode) {
  return mode == BondMode::lacp || mode == BondMode::balance_xor || mode == BondMode::balance_tlb ||
         mode == BondMode::balance_alb;
}

std::string or_none(const std::string& name) {
  return name.empty() ? "None" : name;
}

std::string aggregator_text(const LacpView& view, const Interface& bond) {
  if (!view.first) return fmt::format("bond {} has no active aggregator\n", bond.name);
  const LacpPort& first = view.ports[*view.first];
  return fmt::format(
      "Active Aggregator Info:\n\tAggregator ID: {}\n\tNumber of ports: {}\n\tActor Key: {}\n"
      "\tPartner Key: {}\n\tPartner Mac Address: {}\n",
      view.aggregator,
      view.member_ports,
      first.key,
      first.partner ? first.partner->key : 1,
      first.partner ? std::string_view{first.partner->system} : kNobody);
}

std::string head(
    const LinuxHost& machine, const Interface& bond, bool carrier, const LacpView* lacp) {
  const Bond& state = *bond.bond;
  std::string text = fmt::format(
      "Ethernet Channel Bonding Driver: v{}\n\nBonding Mode: {}",
      kKernelRelease,
      mode_text(state.mode));
  if (state.mode == BondMode::active_backup && state.fail_over_mac != 0)
    text += fmt::format(" (fail_over_mac {})", bond_option_name(bond, "fail_over_mac"));
  text += "\n";
  if (hashes(state.mode)) {
    text += fmt::format(
        "Transmit Hash Policy: {} ({})\n",
        bond_option_name(bond, "xmit_hash_policy"),
        state.hash_policy);
  }
  if (has_active_slave(state.mode)) {
    const std::string primary = bond_option(machine, bond, "primary");
    text += fmt::format(
        "Primary Slave: {}{}\nCurrently Active Slave: {}\n",
        or_none(primary),
        primary.empty() ? "" : " (primary_reselect always)",
        or_none(bond_option(machine, bond, "active_slave")));
  }
  text += fmt::format(
      "MII Status: {}\nMII Polling Interval (ms): {}\nUp Delay (ms): {}\nDown Delay (ms): {}\n"
      "Peer Notification Delay (ms): 0\n",
      carrier ? "up" : "down",
      state.miimon,
      state.updelay * state.miimon,
      state.downdelay * state.miimon);
  if (lacp == nullptr) return text;
  text += fmt::format(
      "\n802.3ad info\nLACP active: on\nLACP rate: {}\nMin links: {}\nAggregator selection policy "
      "(ad_select): {}\nSystem priority: 65535\nSystem MAC address: {}\n",
      bond_option_name(bond, "lacp_rate"),
      state.min_links,
      bond_option_name(bond, "ad_select"),
      bond.mac);
  return text + aggregator_text(*lacp, bond);
}

std::string lacp_text(const LacpPort& port, const Interface& bond) {
  const bool lonely = !port.partner;
  const LacpPartner partner =
      port.partner.value_or(LacpPartner{std::string{kNobody}, 1, 1, 65535, 255, false});
  const std::uint32_t heard = kLacpActivity | kLacpAggregation | kLacpInSync | kLacpCarriesTraffic |
                              (partner.fast ? kLacpTimeout : 0U);
  // No partner is heard to be in sync.
  std::string text = fmt::format(
      "Aggregator ID: {}\nActor Churn State: {}\nPartner Churn State: {}\nActor Churned Count: {}\n"
      "Partner Churned Count: {}\n",
      port.aggregator,
      (port.state & kLacpInSync) != 0 ? "none" : "churned",
      lonely ? "churned" : "none",
      (port.state & kLacpInSync) != 0 ? 0 : 1,
      lonely ? 1 : 0);
  text += fmt::format(
      "details actor lacp pdu:\n    system priority: 65535\n    system mac address: {}\n    port "
      "key: {}\n    port priority: 255\n    port number: {}\n    port state: {}\n",
      bond.mac,
      port.key,
      port.number,
      port.state);
  return text + fmt::format(
                    "details partner lacp pdu:\n    system priority: {}\n    system mac address: "
                    "{}\n    oper key: {}\n    port priority: {}\n    port number: {}\n    port "
                    "state: {}\n",
                    partner.system_priority,
                    partner.system,
                    partner.key,
                    partner.port_priority,
                    partner.port,
                    lonely ? 1 : heard);
}

std::string slave_text(
    const LinuxHost& machine, const BondSlave& slave, const Interface& interface) {
  const bool knows_speed = slave.link && interface.up;
  const std::uint32_t gbps =
      interface.card ? port_gbps(machine, *interface.card, interface.port) : 1;
  return fmt::format(
      "\nSlave Interface: {}\nMII Status: {}\nSpeed: {}\nDuplex: {}\nLink Failure Count: {}\n"
      "Permanent HW addr: {}\nSlave queue ID: 0\n",
      interface.name,
      slave.link ? "up" : "down",
      knows_speed ? fmt::format("{} Mbps", gbps * 1000) : "Unknown",
      knows_speed ? "full" : "Unknown",
      slave.failures,
      interface.permanent_mac);
}

}  // namespace

std::string proc_bonding_text(
    const Network& network, const LinuxHost& machine, const Interface& bond) {
  const bool speaks_lacp = bond.bond->mode == BondMode::lacp;
  const LacpView lacp = speaks_lacp ? lacp_view(network, machine, bond) : LacpView{};
  std::string text =
      head(machine, bond, bond_carrier(network, machine, bond), speaks_lacp ? &lacp : nullptr);
  for (const BondSlave& slave : bond.bond->slaves) {
    const Interface* interface = machine.interface_of_index(slave.index);
    if (interface == nullptr) continue;
    text += slave_text(machine, slave, *interface);
    for (const LacpPort& port : lacp.ports) {
      if (port.index == slave.index) text += lacp_text(port, bond);
    }
  }
  return text;
}

}  // namespace fabric::lab
