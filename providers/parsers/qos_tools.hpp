// SPDX-License-Identifier: Apache-2.0
// How a port sorts frames by priority and which are lossless, as `mlnx_qos` and `dcb` print it.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/result.hpp"
#include "engine/value/value.hpp"

namespace fabric::providers {

// The output of `mlnx_qos -i IF`. Its lines depend on the driver and on the trust mode.
struct MlnxQos {
  std::string dcbx;                                      // "os", "firmware"; "" = unknown
  std::string trust;                                     // "pcp", "dscp", "none"
  std::vector<std::int64_t> pfc;                         // priorities, in order
  std::map<std::int64_t, std::int64_t> dscp_priorities;  // by DSCP; none while trust is pcp
};
Result<MlnxQos> parse_mlnx_qos(std::string_view text);
Value to_value(const MlnxQos& qos);

// `dcb pfc show dev IF`: the priorities with PFC, in order.
struct DcbPfc {
  std::vector<std::int64_t> pfc;
};
Result<DcbPfc> parse_dcb_pfc(std::string_view text);
Value to_value(const DcbPfc& pfc);

// `dcb app show dev IF`, with or without -N: the priority of each DSCP; empty without text.
struct DcbApp {
  std::map<std::int64_t, std::int64_t> dscp_priorities;
};
Result<DcbApp> parse_dcb_app(std::string_view text);
Value to_value(const DcbApp& app);

}  // namespace fabric::providers
