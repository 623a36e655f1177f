// SPDX-License-Identifier: Apache-2.0
// LACP of Linux: which slaves of a bond in mode 802.3ad aggregate with the other ends of their
// cables. Computed from the present state; the protocol's timing is not simulated.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "engine/lab/machine/network.hpp"
#include "providers/linux/lab/host/linux_host.hpp"

namespace fabric::lab {

// Bits of a port's state.
inline constexpr std::uint32_t kLacpActivity = 1;
inline constexpr std::uint32_t kLacpTimeout = 2;
inline constexpr std::uint32_t kLacpAggregation = 4;
inline constexpr std::uint32_t kLacpInSync = 8;
inline constexpr std::uint32_t kLacpCarriesTraffic = 16 + 32;  // collecting and distributing
inline constexpr std::uint32_t kLacpDefaulted = 64;

struct LacpPort {
  std::uint32_t index = 0;   // of the slave's interface
  std::uint32_t number = 1;  // of the port
  bool link = false;
  std::uint32_t key = 0;
  std::optional<LacpPartner> partner;
  std::uint32_t aggregator = 0;
  std::uint32_t state = 0;
};

struct LacpView {
  std::vector<LacpPort> ports;       // in the order of the slaves
  std::optional<std::size_t> first;  // of `ports`: the first of the active aggregator
  std::uint32_t aggregator = 0;      // the active one; 0: there is none
  std::uint32_t active_ports = 0;    // ports of the aggregator with a link
  std::uint32_t member_ports = 0;    // ports of the aggregator
};

LacpView lacp_view(const Network& network, const LinuxHost& machine, const Interface& bond);
// What the slave's LACP frames tell the other end; nullopt if it sends none.
std::optional<LacpPartner> lacp_offer(const LinuxHost& machine, const Interface& slave);

}  // namespace fabric::lab
