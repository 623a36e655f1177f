// SPDX-License-Identifier: Apache-2.0
// /proc/net/bonding/BOND, as kernels of all ages print it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/result.hpp"
#include "engine/value/value.hpp"

namespace fabric::providers {

struct BondingSlave {
  std::string name;
  std::string mii_status;                  // "up", "down", "going back"
  std::string permanent_address;           // MAC, or the 20 bytes of IPoIB
  std::optional<std::int64_t> speed_mbps;  // nullopt: "Unknown"
  std::optional<std::int64_t> link_failures;
  std::optional<std::int64_t> aggregator;
  std::string actor_churn, partner_churn;  // "none", "monitoring", "churned"; "" = unknown
  std::optional<std::int64_t> actor_state, partner_state;  // bits of LACP; root only
};

struct BondingAggregator {
  std::int64_t id = 0;
  std::int64_t ports = 0;
  std::string partner_address;  // "00:00:00:00:00:00": no partner answers LACP
};

struct ProcBonding {
  std::string driver;  // "v3.7.1 (April 27, 2011)", "v6.8.0-39-generic"
  std::string mode;    // the kernel's name: "802.3ad"
  std::string note;    // "fail_over_mac active"; ""
  std::string hash_policy, primary, active_slave, mii_status, lacp_rate, ad_select;
  std::optional<std::int64_t> miimon, updelay, downdelay, min_links;
  // The active aggregator. Nullopt: the mode is not 802.3ad, none is active, or only root sees it.
  std::optional<BondingAggregator> aggregator;
  bool no_active_aggregator = false;  // said in so many words
  std::vector<BondingSlave> slaves;   // in order
};

// Fails with ErrorCode::invalid, "line N: ...", on text of another shape, an unknown mode, and a
// malformed number. Unknown keys are ignored.
Result<ProcBonding> parse_proc_bonding(std::string_view text);
// The keys of the structs; unknown values are left out.
Value to_value(const ProcBonding& bond);

}  // namespace fabric::providers
