// SPDX-License-Identifier: Apache-2.0
// A Linux host as the cables see it.
#include <algorithm>
#include <numeric>
#include <set>

#include "engine/lab/machine/network.hpp"
#include "engine/lab/machine/partitions.hpp"
#include "engine/lab/machine/wire_end.hpp"
#include "providers/linux/lab/host/linux_host.hpp"
#include "providers/linux/lab/kernel/addresses.hpp"
#include "providers/linux/lab/kernel/bonding.hpp"
#include "providers/linux/lab/kernel/ipoib.hpp"
#include "providers/linux/lab/kernel/lacp.hpp"
#include "providers/linux/lab/kernel/ports.hpp"
#include "providers/linux/lab/linux_machine.hpp"
#include "providers/linux/lab/services/subnet_manager.hpp"

namespace fabric::lab {

namespace {

// Something like the driver's: of the last bytes of both addresses, so that the same two hosts
// always take the same slave.
std::size_t hash_of(const Frame& frame) {
  const std::string both = frame.source + frame.destination;
  return std::accumulate(both.begin(), both.end(), std::size_t{0}, [](std::size_t sum, char c) {
    return sum * 31 + static_cast<unsigned char>(c);
  });
}

// 0: the default one, or no IPoIB.
std::uint32_t partition_of(const Interface& interface) {
  const std::uint32_t key = interface.ipoib ? interface.ipoib->key & kDefaultKey : kDefaultKey;
  return key == kDefaultKey ? 0 : key;
}

const Interface* taker_of(
    const Network& network, const LinuxHost& machine, const Interface& port, std::uint32_t vlan) {
  std::uint32_t index = port.index;
  const Interface* master = machine.interface_of_index(port.master);
  if (master != nullptr && !master->bridge) {
    const bool takes =
        master->bond && master->up && receives(network, machine, *master, port.index);
    if (!takes) return nullptr;
    index = master->index;
    master = machine.interface_of_index(master->master);
  }
  const auto& interfaces = machine.state.interfaces;
  const auto vlan_on = [&](std::uint32_t below) -> const Interface* {
    const auto found = std::find_if(interfaces.begin(), interfaces.end(), [&](const auto& each) {
      return each.vlan == Vlan{vlan, below};
    });
    return found == interfaces.end() ? nullptr : &*found;
  };
  // A VLAN of the port itself comes before the bridge that has the port.
  const Interface* own = vlan == 0 ? nullptr : vlan_on(index);
  if (own != nullptr || master == nullptr)
    return vlan == 0 ? machine.interface_of_index(index) : own;
  if (!master->up) return nullptr;
  return vlan == 0 ? master : vlan_on(master->index);
}

// The slaves of a bond that the frame leaves by, or the port itself.
std::vector<const Interface*> senders_of(
    const Network& network,
    const LinuxHost& machine,
    const Interface& carrier,
    const Frame& frame) {
  std::vector<const Interface*> ports;
  if (!carrier.bond) {
    if (carrier.card) ports.push_back(&carrier);
    return ports;
  }
  for (const std::uint32_t index : sending_slaves(network, machine, carrier)) {
    const Interface* slave = machine.interface_of_index(index);
    if (slave != nullptr && slave->card) ports.push_back(slave);
  }
  if (carrier.bond->mode == BondMode::broadcast || ports.size() < 2) return ports;
  return {ports[hash_of(frame) % ports.size()]};
}

// A bond sends a frame by one slave, which one its addresses decide; in mode broadcast by all. Only
// ports that are up.
Egress egress_of(
    const Network& network,
    const LinuxHost& machine,
    const Interface& interface,
    const Frame& frame) {
  Egress egress;
  const Interface* carrier = &interface;
  if (carrier->vlan && carrier->up) {
    egress.vlan = carrier->vlan->id;
    carrier = machine.interface_of_index(carrier->vlan->below);
  } else {
    egress.vlan = partition_of(*carrier);
  }
  if (carrier != nullptr && carrier->up) carrier = below_bridge(machine, *carrier);
  if (carrier == nullptr || !carrier->up) return egress;
  for (const Interface* port : senders_of(network, machine, *carrier, frame)) {
    if (!port->up || (port->ipoib && !ipoib_carrier(network, machine, *port))) continue;
    egress.ports.push_back({*port->card, port->port, port->infiniband});
  }
  return egress;
}

// Null if no port takes it.
const Interface* ingress_of(
    const Network& network,
    const LinuxHost& machine,
    std::size_t card,
    std::uint32_t port,
    const Frame& frame) {
  const auto& interfaces = machine.state.interfaces;
  const auto found = std::find_if(interfaces.begin(), interfaces.end(), [&](const auto& each) {
    return each.card == card && each.port == port &&
           (!each.ipoib || partition_of(each) == frame.vlan);
  });
  const Interface* here = found == interfaces.end() ? nullptr : &*found;
  if (here == nullptr || !here->up || here->infiniband != frame.infiniband) return nullptr;
  if (here->ipoib && !ipoib_carrier(network, machine, *here)) return nullptr;
  if (frame.bytes > here->mtu) return nullptr;
  const Interface* taker = taker_of(network, machine, *here, here->ipoib ? 0 : frame.vlan);
  if (taker == nullptr || !taker->up) return nullptr;
  return frame.destination.empty() || frame.destination == taker->mac ? taker : nullptr;
}

}  // namespace

std::optional<LldpSender> LinuxMachine::lldp(std::size_t card, std::uint32_t port) const {
  const Interface* interface = interface_of_port(card, port);
  if (!runs_service("lldpd") || interface == nullptr || !interface->up) return std::nullopt;
  const Interface* board = find_interface("eno1");
  return LldpSender{
      board == nullptr ? interface->mac : board->mac,
      state.hostname,
      "Debian GNU/Linux 12 (bookworm) Linux 6.1.0-26-amd64",
      interface->permanent_mac,  // lldpd tells that of a slave too
      interface->name};
}

std::optional<LacpPartner> LinuxMachine::lacp_offer(std::size_t card, std::uint32_t port) const {
  const Interface* interface = interface_of_port(card, port);
  return interface == nullptr ? std::nullopt : lab::lacp_offer(*this, *interface);
}

std::optional<ManagerOffer> LinuxMachine::manager_on(std::size_t card, std::uint32_t port) const {
  const ManagerProcess* process = lab::manager_on(*this, card, port);
  if (process == nullptr) return std::nullopt;
  return ManagerOffer{process->guid, process->priority};
}

PartitionRules LinuxMachine::partitions_of(std::size_t card, std::uint32_t port) const {
  const ManagerProcess* process = lab::manager_on(*this, card, port);
  return process == nullptr ? PartitionRules{} : lab::partitions_of(*process);
}

std::string LinuxMachine::node_description(std::size_t card, std::uint32_t port) const {
  return state.hostname + " " + rdma_name(*this, card, port);
}

std::optional<std::uint32_t> LinuxMachine::sends_up_to(std::size_t card, std::uint32_t port) const {
  std::set<std::uint32_t> standing;  // on the port, or on what stands on it
  std::optional<std::uint32_t> most;
  // A VLAN on a bond on a port.
  constexpr int kHighest = 3;
  for (int height = 0; height < kHighest; ++height) {
    for (const Interface& each : state.interfaces) {
      const bool is_port = each.card == card && each.port == port;
      const bool is_on = each.vlan && standing.contains(each.vlan->below);
      if (!each.up || !(is_port || is_on || standing.contains(each.index))) continue;
      standing.insert(each.index);
      if (each.master != 0) standing.insert(each.master);
      const bool wishes = each.ipoib && !each.ipoib->connected;
      if (each.ipoib && !wishes) continue;  // segments of a connection are no packets of the group
      most = std::max(most.value_or(0), wishes ? each.ipoib->wished_mtu : each.mtu);
    }
  }
  return most;
}

Egress LinuxMachine::egress(
    const Network& network, std::uint32_t interface, const Frame& frame) const {
  const Interface* sender = interface_of_index(interface);
  return sender == nullptr ? Egress{} : egress_of(network, *this, *sender, frame);
}

std::optional<Ingress> LinuxMachine::ingress(
    const Network& network, std::size_t card, std::uint32_t port, const Frame& frame) const {
  const Interface* taker = ingress_of(network, *this, card, port, frame);
  if (taker == nullptr) return std::nullopt;
  return Ingress{taker->index, taker->mac};
}

IpPath LinuxMachine::path_to(
    const Network& network,
    const IpPrefix& target,
    std::string_view device,
    std::string_view source) const {
  return ip_path(network, *this, target, device, source);
}

std::optional<IpPath> LinuxMachine::forward(
    const Network& network, std::uint32_t interface, const IpPrefix& target) const {
  const Interface* incoming = interface_of_index(interface);
  if (incoming == nullptr || !forwards(*this, *incoming)) return std::nullopt;
  const IpPath path = ip_path(network, *this, target, "", "", incoming);
  return path.interface == 0 ? std::nullopt : std::optional{path};
}

bool LinuxMachine::has_address(const IpPrefix& address) const {
  return owner_of(*this, address) != nullptr;
}

bool LinuxMachine::has_management_address(const IpPrefix& address) const {
  const Interface* owner = owner_of(*this, address);
  return owner != nullptr && owner->is_management();
}

bool LinuxMachine::answers_arp(
    std::uint32_t interface, const IpPrefix& target, const IpPrefix& sender) const {
  const Interface* here = interface_of_index(interface);
  return here != nullptr && answers_neighbour_request(*this, *here, target, sender);
}

bool LinuxMachine::takes_from(
    const Network& network,
    std::uint32_t interface,
    const IpPrefix& sender,
    const IpPrefix& target) const {
  const Interface* here = interface_of_index(interface);
  return here != nullptr && passes_rp_filter(network, *this, *here, sender, target);
}

std::optional<Device> LinuxMachine::device(const Network& network, std::string_view name) const {
  const Interface* here = find_interface(name);
  if (here == nullptr) return std::nullopt;
  return Device{here->card, interface_gbps(*this, network, *here)};
}

}  // namespace fabric::lab
