// SPDX-License-Identifier: Apache-2.0
// Outputs of the link tools (providers/linux/machine/link) as data.
#pragma once

#include <string_view>

#include "engine/base/result.hpp"
#include "engine/value/value.hpp"

namespace fabric::providers {

// {"has_link", "speed_mbps", "capable_mbps", "auto_negotiation"}, without unknown values.
Result<Value> parse_ethtool_settings(std::string_view text);
// {"active", "configured", "uncorrectable_blocks"}
Result<Value> parse_ethtool_fec(std::string_view text);
// {"identifier", "vendor", "part_number", "serial", "copper", "temperature", "temperature_most",
// "received_dbm", "received_least", "alarms"}; a dark lane is null.
Result<Value> parse_ethtool_module(std::string_view text);
// {"state", "speed", "fec", "why_down", "raw_ber", "effective_ber", "module"}
Result<Value> parse_mlxlink(std::string_view text);

}  // namespace fabric::providers
