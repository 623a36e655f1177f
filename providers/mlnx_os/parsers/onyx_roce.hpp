// SPDX-License-Identifier: Apache-2.0
// `show roce` of an Onyx switch.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/result.hpp"
#include "engine/value/value.hpp"

namespace fabric::providers {

struct OnyxRoce {
  std::string mode;               // "lossless", "semi-lossless", "lossy"; "" = off
  std::string trust;              // "L3" (DSCP), "L2" (PCP), "both"
  std::string congestion_mode;    // "ecn, absolute"
  std::vector<std::int64_t> pfc;  // priorities that have it, in order
};
// Fails with ErrorCode::invalid, "line N: ...", where no line tells the mode.
Result<OnyxRoce> parse_onyx_roce(std::string_view text);
Value to_value(const OnyxRoce& roce);

}  // namespace fabric::providers
