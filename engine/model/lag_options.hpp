// SPDX-License-Identifier: Apache-2.0
// How the bonding driver reads the options of a lag, in every document. Source: Linux,
// Documentation/networking/bonding.rst, "bonding driver options".
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/model/spec.hpp"

namespace fabric {

// The policies that have the option ("lacp_rate", as the document calls it), in words:
// "balance-xor, 802.3ad and balance-tlb". "" = all have it.
std::string_view policies_with(std::string_view option);
// True if the policy has the option. REQUIRES: `policy` is one of the kernel's names.
bool policy_has(std::string_view policy, std::string_view option);

// The milliseconds of a delay that take effect: it is counted in steps of miimon, rounded down.
// Nullopt without miimon: there is no delay.
std::optional<std::uint32_t> delay_in_force(const LagSpec& lag, std::uint32_t delay);

struct BondPolicy {
  std::string_view name;  // the kernel's: "active-backup"
  bool roce = false;      // the card enters RoCE LAG (E-roce-lag)
};
// Null if no policy of the kernel has this name.
const BondPolicy* find_bond_policy(std::string_view name);

// True in mode lag unless the document or the policy says otherwise.
bool wants_roce_lag(const NetworkSpec& network);

// The bond that a switch needs at the other end of a policy: "lacp", "static" or "" (none).
std::string_view switch_bond_mode(std::string_view policy);
// The header fields that a switch with MLNX-OS has to hash to spread frames as a bond with this
// hash policy does (E-onyx-load-balance): "source-destination-ip". Empty: it has no such words.
std::vector<std::string_view> switch_balance_words(std::string_view hash_policy);
// The bond's name in resources, by its lowest port: "bond7", "bond1/9".
std::string switch_bond_name(std::string_view lowest_port);

// True if `written`, a `primary` of a document, means this port: "cx5/2", "2", or its name.
bool names_slave(const AdapterSpec& adapter, const PortRef& slave, std::string_view written);

}  // namespace fabric
