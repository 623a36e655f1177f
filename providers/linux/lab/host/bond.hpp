// SPDX-License-Identifier: Apache-2.0
// Bond and Vlan: what the kernel keeps of interfaces that stand on others. Values only; what the
// bonding driver does with them is in bonding.hpp.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace fabric::lab {

// With the driver's numbers.
enum class BondMode : std::uint8_t {
  balance_rr,
  active_backup,
  balance_xor,
  broadcast,
  lacp,
  balance_tlb,
  balance_alb
};

struct BondSlave {
  std::uint32_t index = 0;   // of its interface
  std::uint32_t number = 1;  // of its port and of its own aggregator
  bool link = true;          // as the driver last saw it
  std::uint32_t failures = 0;
  std::uint32_t former_mtu = 1500;
  std::string former_mac;
  bool operator==(const BondSlave&) const = default;
};

struct Bond {
  BondMode mode = BondMode::balance_rr;
  std::uint32_t miimon = 0;     // ms; 0: links are not watched
  std::uint32_t updelay = 0;    // in polls
  std::uint32_t downdelay = 0;  // in polls
  std::uint32_t min_links = 0;
  std::uint32_t hash_policy = 0;
  std::uint32_t lacp_rate = 0;
  std::uint32_t ad_select = 0;
  std::uint32_t fail_over_mac = 0;
  std::string primary;  // as it was given, whether such a slave is there or not
  std::vector<BondSlave> slaves;
  std::uint32_t active = 0;  // interface of the active slave, in the modes that have one
  std::uint32_t numbered = 0;
  bool operator==(const Bond&) const = default;
};

struct Vlan {
  std::uint32_t id = 1;
  std::uint32_t below = 0;  // interface that carries it
  bool operator==(const Vlan&) const = default;
};

}  // namespace fabric::lab
