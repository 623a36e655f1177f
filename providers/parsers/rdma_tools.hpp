// SPDX-License-Identifier: Apache-2.0
// Tools that show RDMA devices: ibstat, ibv_devinfo, rdma. GUIDs get one form; unknown keys keep
// their own names.
#pragma once

#include <string_view>

#include "engine/base/result.hpp"
#include "engine/value/value.hpp"

namespace fabric::providers {

// All fail with ErrorCode::invalid, "line N: ...".

// {"devices": [{"name", "type", ..., "ports": [{"number", "state", "rate", ...}]}]}. No output
// means no device: ibstat prints nothing and succeeds without a driver.
Result<Value> parse_ibstat(std::string_view text);
// The same shape; "state": "PORT_ACTIVE", "active_mtu": 4096.
Result<Value> parse_ibv_devinfo(std::string_view text);
// `rdma -j link show`: {"links": [...]}; an unassigned LID is left out.
Result<Value> parse_rdma_link_json(std::string_view text);

}  // namespace fabric::providers
