// SPDX-License-Identifier: Apache-2.0
// The output of RDMA tools as data.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/result.hpp"
#include "engine/value/value.hpp"

namespace fabric::providers {

// Tools that show RDMA devices: ibstat, ibv_devinfo, rdma. GUIDs get one form; unknown keys keep
// their own names.
// All fail with ErrorCode::invalid, "line N: ...".

// {"devices": [{"name", "type", ..., "ports": [{"number", "state", "rate", ...}]}]}. No output
// means no device: ibstat prints nothing and succeeds without a driver.
Result<Value> parse_ibstat(std::string_view text);
// The same shape; "state": "PORT_ACTIVE", "active_mtu": 4096.
Result<Value> parse_ibv_devinfo(std::string_view text);
// `rdma -j link show`: {"links": [...]}; an unassigned LID is left out.
Result<Value> parse_rdma_link_json(std::string_view text);

// Small tools that print facts of one card as lines.
// All fail with ErrorCode::invalid, "line N: ...".

// `mstflint -d DEV q`, `flint q`: {fw_version, fw_version_running?, psid, base_guid, base_mac, ...}
Result<Value> parse_mstflint_query(std::string_view text);
// `ethtool -i DEV`: {driver, version, firmware_version, psid?, bus_info, ...}
Result<Value> parse_ethtool_info(std::string_view text);
// The link lines of `lspci -vv`: {capable: {speed, width}, status: {speed, width, ...}} per device.
Result<Value> parse_lspci_link(std::string_view text);

// How a port sorts frames by priority and which are lossless, as `mlnx_qos` and `dcb` print it.
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
