// SPDX-License-Identifier: Apache-2.0
// Lines of OpenSM's log about its routing of the subnet and its own state. A configured routing
// engine is no evidence of routing: where one fails, OpenSM takes the next one and at last minhop.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/result.hpp"
#include "engine/value/value.hpp"

namespace fabric::providers {

struct RoutingRecord {
  std::string engine;               // "ftree", "minhop"; "" = none could route it
  std::vector<std::string> errors;  // errors between the former record and this one
};

// The time of OpenSM's last change of state as it wrote it: no year, no time zone.
struct StateRecord {
  std::string state;  // "MASTER", "STANDBY"
  std::string since;  // "Nov 20 08:01:19"
};

struct OpensmLog {
  std::int64_t records = 0;              // lines with a time and a level
  std::optional<StateRecord> state;      // nullopt: none was entered, or OpenSM has ended since
  std::optional<RoutingRecord> routing;  // the last one; nullopt: no switch was routed
};

// "Nov 20 08:01:19 173235 [8E3B76C0] 0x02 -> osm_ucast_mgr_process: minhop tables configured on all
// switches". Fails with ErrorCode::invalid, by line, where the first line is no record; lines
// without a time behind it belong to the record before. Source: OpenSM 3.3.23, osm_log.c,
// osm_ucast_mgr.c and osm_sm_state_mgr.c.
Result<OpensmLog> parse_opensm_log(std::string_view text);
Value to_value(const OpensmLog& log);

}  // namespace fabric::providers
