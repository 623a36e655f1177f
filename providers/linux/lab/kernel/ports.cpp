// SPDX-License-Identifier: Apache-2.0
#include "providers/linux/lab/kernel/ports.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "engine/base/text.hpp"
#include "providers/linux/lab/kernel/bonding.hpp"
#include "providers/linux/lab/kernel/ipoib.hpp"

namespace fabric::lab {
namespace {

// "0000:41:00" and port 2 of several: "p65s0f1"; the domain only if it is not 0.
std::string location(const Card& card, std::uint32_t port) {
  const std::string_view pci = card.pci;
  const std::uint64_t domain = parse_unsigned(pci.substr(0, 4), 16).value_or(0);
  const std::uint64_t bus = parse_unsigned(pci.substr(5, 2), 16).value_or(0);
  const std::uint64_t device = parse_unsigned(pci.substr(8, 2), 16).value_or(0);
  std::string text = domain == 0 ? "" : fmt::format("P{}", domain);
  text += fmt::format("p{}s{}", bus, device);
  if (!card.mlx4() && card.ports.size() > 1) text += fmt::format("f{}", port - 1);
  return text;
}

}  // namespace

std::string_view PortState::logical_text() const {
  return logical == 4 ? "ACTIVE" : logical == 2 ? "INIT" : "DOWN";
}

std::string_view PortState::physical_text() const {
  return physical == 5 ? "LinkUp" : physical == 3 ? "Disabled" : "Polling";
}

PortState port_state(
    const LinuxHost& machine, const Network& network, std::size_t card, std::uint32_t port) {
  const bool ethernet = machine.state.cards[card].ports[port - 1].link_type == LinkType::ethernet;
  const bool carrier = network.carrier(machine, card, port);
  if (!ethernet && !carrier) return PortState{1, 2};
  if (!ethernet) {
    const std::optional<SubnetView> subnet = network.subnet(machine, card, port);
    return subnet && !subnet->managers.empty() ? PortState{4, 5} : PortState{2, 5};
  }
  if (const Interface* bond = roce_bond(machine, card)) {
    const bool works = bond->up && bond_carrier(network, machine, *bond);
    return works ? PortState{4, 5} : PortState{1, 3};
  }
  bool up = false;
  for (const Interface& interface : machine.state.interfaces) {
    if (interface.card == card && interface.port == port) up = interface.up;
  }
  if (!up) return PortState{1, 3};
  return carrier ? PortState{4, 5} : PortState{1, 3};
}

PortLids port_lids(
    const LinuxHost& machine, const Network& network, std::size_t card, std::uint32_t port) {
  if (machine.state.cards[card].ports[port - 1].link_type == LinkType::ethernet) return {0, 0};
  const std::optional<SubnetView> subnet = network.subnet(machine, card, port);
  if (!subnet || subnet->managers.empty()) return {};
  return {subnet->lid, subnet->managers.front().lid};
}

std::uint32_t port_gbps(const LinuxHost& machine, std::size_t card, std::uint32_t port) {
  return port_gbps(machine.state.cards[card], port);
}

std::uint32_t interface_gbps(
    const LinuxHost& machine, const Network& network, const Interface& interface) {
  const Interface* carrier = &interface;
  while (carrier != nullptr && carrier->vlan)
    carrier = machine.interface_of_index(carrier->vlan->below);
  if (carrier != nullptr) carrier = below_bridge(machine, *carrier);
  if (carrier == nullptr) return 0;
  if (!carrier->bond) return carrier->card ? port_gbps(machine, *carrier->card, carrier->port) : 1;
  std::uint32_t sum = 0;
  for (const std::uint32_t index : sending_slaves(network, machine, *carrier)) {
    const Interface* slave = machine.interface_of_index(index);
    if (slave != nullptr) sum += slave->card ? port_gbps(machine, *slave->card, slave->port) : 1;
  }
  return sum;
}

std::string rate_text(
    const LinuxHost& machine, const Network& network, std::size_t card, std::uint32_t port) {
  const Interface* bond = roce_bond(machine, card);
  const bool carrier = bond == nullptr ? network.carrier(machine, card, port)
                                       : bond_carrier(network, machine, *bond);
  if (!carrier) return "10 Gb/sec (1X QDR)";
  switch (port_gbps(machine, card, port)) {
    case 25:
      return "25 Gb/sec (1X EDR)";
    case 40:
      return "40 Gb/sec (4X QDR)";
    case 50:
      return "50 Gb/sec (2X EDR)";
    case 56:
      return "56 Gb/sec (4X FDR)";
    case 200:
      return "200 Gb/sec (4X HDR)";
    case 400:
      return "400 Gb/sec (4X NDR)";
    case 800:
      return "800 Gb/sec (4X XDR)";
    default:
      return "100 Gb/sec (4X EDR)";
  }
}

std::string rdma_name(const LinuxHost& machine, std::size_t card, std::uint32_t port) {
  const Card& here = machine.state.cards[card];
  if (roce_bond(machine, card) != nullptr) return fmt::format("mlx5_bond_{}", card);
  const std::size_t which = here.mlx4() ? 0 : port - 1;
  const bool ethernet = here.ports[which].link_type == LinkType::ethernet;
  return (ethernet ? "roce" : "ib") + location(here, port);
}

std::string interface_name(const Card& card, const CardPort& port) {
  const bool ethernet = port.link_type == LinkType::ethernet;
  std::string name = (ethernet ? "en" : "ib") + location(card, port.number);
  if (card.mlx4()) return port.number > 1 ? fmt::format("{}d{}", name, port.number - 1) : name;
  return ethernet ? fmt::format("{}np{}", name, port.number - 1) : name;
}

std::vector<std::string> management_devices_of(const LinuxHost& machine) {
  std::vector<std::string> devices;
  const auto is_infiniband = [](const CardPort& port) {
    return port.link_type == LinkType::infiniband;
  };
  const bool any = std::ranges::any_of(machine.state.cards, [&](const Card& card) {
    return std::ranges::any_of(card.ports, is_infiniband);
  });
  if (!any) return devices;
  for (const Card& card : machine.state.cards) {
    for (std::size_t port = 0; port < card.ports.size(); ++port)
      devices.push_back(fmt::format("umad{}", devices.size()));
  }
  return devices;
}

const Interface* below_bridge(const LinuxHost& machine, const Interface& interface) {
  if (!interface.bridge) return &interface;
  const auto& all = machine.state.interfaces;
  const auto port = std::ranges::find_if(
      all, [&interface](const Interface& each) { return each.master == interface.index; });
  return port == all.end() ? nullptr : &*port;
}

bool has_carrier(const Network& network, const LinuxHost& machine, const Interface& interface) {
  const Interface* standing_on = &interface;
  for (; standing_on != nullptr && standing_on->vlan;
       standing_on = machine.interface_of_index(standing_on->vlan->below)) {
    const Interface* below = machine.interface_of_index(standing_on->vlan->below);
    if (below == nullptr || !below->up) return false;
  }
  if (standing_on != nullptr) standing_on = below_bridge(machine, *standing_on);
  if (standing_on == nullptr) return false;
  if (standing_on->bond) return bond_carrier(network, machine, *standing_on);
  if (!standing_on->card) return true;
  if (standing_on->ipoib) return ipoib_carrier(network, machine, *standing_on);
  return network.carrier(machine, *standing_on->card, standing_on->port);
}

}  // namespace fabric::lab
