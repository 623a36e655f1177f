// SPDX-License-Identifier: Apache-2.0
#include "providers/linux/lab/kernel/lacp.hpp"

#include <algorithm>
#include <array>

#include "providers/linux/lab/kernel/ports.hpp"

namespace fabric::lab {
namespace {

// The driver's number of a speed in Gb/s; it is part of the key, so that only like ports aggregate.
constexpr std::array<std::pair<std::uint32_t, std::uint32_t>, 10> kSpeeds{
    {{1, 4},
     {10, 7},
     {20, 9},
     {25, 10},
     {40, 11},
     {50, 12},
     {56, 13},
     {100, 14},
     {200, 15},
     {400, 16}}};

std::uint32_t key_of(const LinuxHost& machine, const Interface& slave) {
  const std::uint32_t gbps = slave.card ? port_gbps(machine, *slave.card, slave.port) : 1;
  const auto* found =
      std::ranges::find_if(kSpeeds, [gbps](const auto& each) { return each.first == gbps; });
  return found == kSpeeds.end() ? 1 : (found->second << 1U) | 1U;
}

bool same_partner(const LacpPort& a, const LacpPort& b) {
  return a.link && b.link && a.partner && b.partner && a.key == b.key &&
         a.partner->system == b.partner->system && a.partner->key == b.partner->key;
}

// Ports with the same partner are in the aggregator of the first of these ports.
void choose_aggregators(LacpView& view) {
  for (LacpPort& port : view.ports) {
    const auto first = std::ranges::find_if(
        view.ports, [&](const auto& other) { return same_partner(port, other); });
    port.aggregator = first == view.ports.end() ? port.number : first->number;
  }
}

// A partner counts more than many ports, and of equals the first is kept.
void choose_active(LacpView& view) {
  const auto worth = [&](const LacpPort& port) {
    const auto ports = std::ranges::count_if(view.ports, [&](const auto& other) {
      return other.aggregator == port.aggregator && other.link;
    });
    return std::pair{port.link && port.partner.has_value(), ports};
  };
  for (std::size_t i = 0; i < view.ports.size(); ++i) {
    if (!view.first || worth(view.ports[i]) > worth(view.ports[*view.first])) view.first = i;
  }
  if (!view.first) return;
  view.aggregator = view.ports[*view.first].aggregator;
  for (const LacpPort& port : view.ports) {
    if (port.aggregator != view.aggregator) continue;
    ++view.member_ports;
    if (port.link) ++view.active_ports;
  }
}

void set_states(LacpView& view, bool fast) {
  for (LacpPort& port : view.ports) {
    port.state = kLacpActivity | kLacpAggregation | (fast ? kLacpTimeout : 0U);
    const bool chosen = port.aggregator == view.aggregator && port.link;
    if (!port.partner || !port.link) port.state |= kLacpDefaulted;
    if (chosen) port.state |= kLacpInSync;
    if (chosen && port.partner) port.state |= kLacpCarriesTraffic;
  }
}

}  // namespace

LacpView lacp_view(const Network& network, const LinuxHost& machine, const Interface& bond) {
  LacpView view;
  for (const BondSlave& slave : bond.bond->slaves) {
    const Interface* interface = machine.interface_of_index(slave.index);
    if (interface == nullptr) continue;
    LacpPort port{slave.index, slave.number, slave.link && interface->up, 0, {}, 0, 0};
    if (port.link) port.key = key_of(machine, *interface);
    if (port.link && interface->card)
      port.partner = network.lacp_partner(machine, *interface->card, interface->port);
    view.ports.push_back(std::move(port));
  }
  choose_aggregators(view);
  choose_active(view);
  set_states(view, bond.bond->lacp_rate == 1);
  return view;
}

std::optional<LacpPartner> lacp_offer(const LinuxHost& machine, const Interface& slave) {
  const Interface* bond = machine.interface_of_index(slave.master);
  if (bond == nullptr || !bond->bond || bond->bond->mode != BondMode::lacp || !bond->up ||
      !slave.up)
    return std::nullopt;
  const auto& slaves = bond->bond->slaves;
  const auto own = std::ranges::find_if(
      slaves, [&](const BondSlave& each) { return each.index == slave.index; });
  if (own == slaves.end()) return std::nullopt;
  return LacpPartner{
      bond->mac, key_of(machine, slave), own->number, 65535, 255, bond->bond->lacp_rate == 1};
}

}  // namespace fabric::lab
