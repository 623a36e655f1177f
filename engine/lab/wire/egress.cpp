#include "engine/lab/wire/egress.hpp"

#include <algorithm>
#include <numeric>

#include "engine/lab/linux/kernel/bonding.hpp"

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

}  // namespace

Egress egress_of(
    const Network& network,
    const Machine& machine,
    const Interface& interface,
    const Frame& frame) {
  Egress egress;
  const Interface* carrier = &interface;
  if (carrier->vlan && carrier->up) {
    egress.vlan = carrier->vlan->id;
    carrier = machine.interface_of_index(carrier->vlan->below);
  }
  if (carrier == nullptr || !carrier->up) return egress;
  if (!carrier->bond) {
    if (carrier->card) egress.ports.push_back(carrier);
    return egress;
  }
  for (const std::uint32_t index : sending_slaves(network, machine, *carrier)) {
    const Interface* slave = machine.interface_of_index(index);
    if (slave != nullptr && slave->card) egress.ports.push_back(slave);
  }
  if (carrier->bond->mode == BondMode::broadcast || egress.ports.size() < 2) return egress;
  egress.ports = {egress.ports[hash_of(frame) % egress.ports.size()]};
  return egress;
}

Interface* ingress_of(
    const Network& network, Machine& machine, const Interface& port, std::uint32_t vlan) {
  std::uint32_t index = port.index;
  if (port.master != 0) {
    const Interface* bond = machine.interface_of_index(port.master);
    const bool takes =
        bond != nullptr && bond->bond && bond->up && receives(network, machine, *bond, port.index);
    if (!takes) return nullptr;
    index = bond->index;
  }
  if (vlan == 0) return machine.interface_of_index(index);
  auto& interfaces = machine.state.interfaces;
  const auto found = std::find_if(interfaces.begin(), interfaces.end(), [&](const auto& each) {
    return each.vlan == Vlan{vlan, index};
  });
  return found == interfaces.end() ? nullptr : &*found;
}

}  // namespace fabric::lab
