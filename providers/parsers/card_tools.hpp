// SPDX-License-Identifier: Apache-2.0
// Small tools that print facts of one card as lines.
#pragma once

#include <string_view>

#include "engine/base/result.hpp"
#include "engine/value/value.hpp"

namespace fabric::providers {

// All fail with ErrorCode::invalid, "line N: ...".

// `mstflint -d DEV q`, `flint q`: {fw_version, fw_version_running?, psid, base_guid, base_mac, ...}
Result<Value> parse_mstflint_query(std::string_view text);
// `ethtool -i DEV`: {driver, version, firmware_version, psid?, bus_info, ...}
Result<Value> parse_ethtool_info(std::string_view text);
// The link lines of `lspci -vv`: {capable: {speed, width}, status: {speed, width, ...}} per device.
Result<Value> parse_lspci_link(std::string_view text);

}  // namespace fabric::providers
