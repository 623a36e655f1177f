// SPDX-License-Identifier: Apache-2.0
#include "providers/linux/lab/kernel/egress.hpp"

#include <algorithm>
#include <numeric>

#include "providers/linux/lab/kernel/bonding.hpp"
#include "providers/linux/lab/kernel/ipoib.hpp"
#include "providers/linux/lab/kernel/ports.hpp"

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

}  // namespace

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
  }
  if (carrier != nullptr && carrier->up) carrier = below_bridge(machine, *carrier);
  if (carrier == nullptr || !carrier->up) return egress;
  for (const Interface* port : senders_of(network, machine, *carrier, frame)) {
    if (!port->up || (port->ipoib && !ipoib_carrier(network, machine, *port))) continue;
    egress.ports.push_back({*port->card, port->port, port->infiniband});
  }
  return egress;
}

const Interface* ingress_of(
    const Network& network,
    const LinuxHost& machine,
    std::size_t card,
    std::uint32_t port,
    const Frame& frame) {
  const Interface* here = machine.interface_of_port(card, port);
  if (here == nullptr || !here->up || here->infiniband != frame.infiniband) return nullptr;
  if (here->ipoib && !ipoib_carrier(network, machine, *here)) return nullptr;
  if (frame.bytes > here->mtu) return nullptr;
  const Interface* taker = taker_of(network, machine, *here, frame.vlan);
  if (taker == nullptr || !taker->up) return nullptr;
  return frame.destination.empty() || frame.destination == taker->mac ? taker : nullptr;
}

}  // namespace fabric::lab
