// SPDX-License-Identifier: Apache-2.0
#include "providers/linux/lab/kernel/bonding.hpp"

#include <algorithm>

#include "providers/linux/lab/kernel/lacp.hpp"
#include "providers/linux/lab/kernel/links.hpp"
#include "providers/linux/lab/kernel/ports.hpp"

namespace fabric::lab {
namespace {

BondSlave* slave_of(Interface& bond, std::uint32_t index) {
  auto& slaves = bond.bond->slaves;
  const auto found = std::ranges::find_if(
      slaves, [index](const BondSlave& slave) { return slave.index == index; });
  return found == slaves.end() ? nullptr : &*found;
}

bool has_physical_link(const Network& network, const LinuxHost& machine, const Interface& slave) {
  return slave.up && has_carrier(network, machine, slave);
}

// Chooses the primary slave if it can carry traffic, else the present one, else the first that can.
void choose_active(LinuxHost& machine, Interface& bond) {
  Bond& state = *bond.bond;
  if (!has_active_slave(state.mode)) {
    state.active = 0;
    return;
  }
  const Interface* primary = machine.find_interface(state.primary);
  const auto works = [&](std::uint32_t index) {
    const BondSlave* slave = find_slave(bond, index);
    return slave != nullptr && slave->link;
  };
  if (primary != nullptr && works(primary->index)) {
    state.active = primary->index;
    return;
  }
  if (works(state.active)) return;
  const auto first =
      std::ranges::find_if(state.slaves, [](const auto& slave) { return slave.link; });
  state.active = first == state.slaves.end() ? 0 : first->index;
}

// A VLAN has the MAC of the interface below unless it was given another.
void set_mac(LinuxHost& machine, Interface& interface, const std::string& mac) {
  const std::string before = interface.mac;
  interface.mac = mac;
  for (Interface& above : machine.state.interfaces) {
    if (above.vlan && above.vlan->below == interface.index && above.mac == before) above.mac = mac;
  }
}

bool keeps_macs(const Bond& bond) {
  return bond.mode == BondMode::active_backup && bond.fail_over_mac != 0;
}

std::string why_no_slave(const LinuxHost& machine, const Interface& slave, const Interface& bond) {
  if (slave.index == bond.index) return "Error: Cannot enslave bond to itself.";
  if (slave.loopback || slave.bond) return "RTNETLINK answers: Invalid argument";
  if (slave.up) return "Error: Device can not be enslaved while up.";
  const Bond& state = *bond.bond;
  if (slave.infiniband && state.mode != BondMode::active_backup)
    return "RTNETLINK answers: Operation not supported";
  const bool mixed = std::ranges::any_of(state.slaves, [&](const auto& each) {
    const Interface* other = machine.interface_of_index(each.index);
    return other != nullptr && other->infiniband != slave.infiniband;
  });
  return mixed ? "RTNETLINK answers: Invalid argument" : "";
}

}  // namespace

bool has_active_slave(BondMode mode) {
  return mode == BondMode::active_backup || mode == BondMode::balance_tlb ||
         mode == BondMode::balance_alb;
}

const BondSlave* find_slave(const Interface& bond, std::uint32_t index) {
  const auto& slaves = bond.bond->slaves;
  const auto found = std::ranges::find_if(
      slaves, [index](const BondSlave& slave) { return slave.index == index; });
  return found == slaves.end() ? nullptr : &*found;
}

std::string enslave(LinuxHost& machine, const Network& network, Interface& slave, Interface& bond) {
  if (slave.master == bond.index) return "";
  if (slave.master != 0) release(machine, slave);
  if (std::string why = why_no_slave(machine, slave, bond); !why.empty()) return why;
  Bond& state = *bond.bond;
  BondSlave entry;
  entry.index = slave.index;
  entry.former_mtu = slave.mtu;
  entry.former_mac = slave.mac;
  if (!set_mtu(machine, slave, bond.mtu).empty()) return "RTNETLINK answers: Invalid argument";
  entry.number = ++state.numbered;
  // IPoIB addresses can't be changed: the bond takes the active one's.
  if (slave.infiniband) state.fail_over_mac = 1;
  if (slave.infiniband && state.slaves.empty()) set_mac(machine, bond, slave.mac);
  if (!keeps_macs(state)) set_mac(machine, slave, bond.mac);
  slave.master = bond.index;
  set_up(machine, slave, true);
  entry.link = state.miimon == 0 || has_physical_link(network, machine, slave);
  state.slaves.push_back(std::move(entry));
  machine.note_change();
  settle_bonds(machine, network);
  return "";
}

void release(LinuxHost& machine, Interface& slave) {
  Interface* bond = machine.interface_of_index(slave.master);
  slave.master = 0;
  if (bond == nullptr || !bond->bond) return;
  const BondSlave* entry = slave_of(*bond, slave.index);
  if (entry == nullptr) return;
  const BondSlave former = *entry;
  set_up(machine, slave, false);
  set_mac(machine, slave, former.former_mac);
  set_mtu(machine, slave, former.former_mtu);
  std::erase_if(
      bond->bond->slaves, [&](const BondSlave& each) { return each.index == slave.index; });
  choose_active(machine, *bond);
  machine.note_change();
}

void release_all(LinuxHost& machine, Interface& bond) {
  while (bond.bond && !bond.bond->slaves.empty()) {
    Interface* slave = machine.interface_of_index(bond.bond->slaves.back().index);
    if (slave == nullptr) {
      bond.bond->slaves.pop_back();
    } else {
      release(machine, *slave);
    }
  }
}

void settle_bonds(LinuxHost& machine, const Network& network) {
  for (Interface& bond : machine.state.interfaces) {
    if (!bond.bond) continue;
    for (BondSlave& slave : bond.bond->slaves) {
      const Interface* interface = machine.interface_of_index(slave.index);
      if (interface == nullptr || bond.bond->miimon == 0) continue;
      const bool link = has_physical_link(network, machine, *interface);
      if (slave.link && !link) ++slave.failures;
      slave.link = link;
    }
    choose_active(machine, bond);
    const Interface* active = machine.interface_of_index(bond.bond->active);
    if (active != nullptr && keeps_macs(*bond.bond)) set_mac(machine, bond, active->mac);
  }
}

bool bond_carrier(const Network& network, const LinuxHost& machine, const Interface& bond) {
  const Bond& state = *bond.bond;
  if (state.mode == BondMode::lacp) {
    const std::uint32_t wanted = std::max<std::uint32_t>(1, state.min_links);
    return lacp_view(network, machine, bond).active_ports >= wanted;
  }
  return std::ranges::any_of(state.slaves, [](const auto& slave) { return slave.link; });
}

std::vector<std::uint32_t> sending_slaves(
    const Network& network, const LinuxHost& machine, const Interface& bond) {
  const Bond& state = *bond.bond;
  std::vector<std::uint32_t> sending;
  if (state.mode == BondMode::lacp) {
    const LacpView view = lacp_view(network, machine, bond);
    for (const LacpPort& port : view.ports) {
      if (port.link && port.aggregator == view.aggregator) sending.push_back(port.index);
    }
    return sending;
  }
  for (const BondSlave& slave : state.slaves) {
    const bool chosen = !has_active_slave(state.mode) || slave.index == state.active;
    if (slave.link && chosen) sending.push_back(slave.index);
  }
  return sending;
}

// False for a backup slave: it drops what reaches it, above all broadcasts of a switch.
bool receives(
    const Network& network, const LinuxHost& machine, const Interface& bond, std::uint32_t slave) {
  const BondMode mode = bond.bond->mode;
  if (mode != BondMode::lacp && mode != BondMode::active_backup) return true;
  const std::vector<std::uint32_t> working = sending_slaves(network, machine, bond);
  return std::find(working.begin(), working.end(), slave) != working.end();
}

const Interface* roce_bond(const LinuxHost& machine, std::size_t card) {
  const Card& here = machine.state.cards[card];
  if (here.mlx4() || here.ports.size() != 2) return nullptr;
  const Interface* first = machine.interface_of_port(card, 1);
  const Interface* second = machine.interface_of_port(card, 2);
  const bool together = first != nullptr && second != nullptr && first->master != 0 &&
                        first->master == second->master && !first->infiniband;
  if (!together) return nullptr;
  const Interface* bond = machine.interface_of_index(first->master);
  if (bond == nullptr || !bond->bond || bond->bond->slaves.size() != 2) return nullptr;
  const BondMode mode = bond->bond->mode;
  const bool done_by_card =
      mode == BondMode::active_backup || mode == BondMode::balance_xor || mode == BondMode::lacp;
  return done_by_card ? bond : nullptr;
}

}  // namespace fabric::lab
