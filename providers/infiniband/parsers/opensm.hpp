// SPDX-License-Identifier: Apache-2.0
// OpenSM: its options, its log, and what sminfo says of it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/result.hpp"
#include "engine/model/names.hpp"
#include "engine/value/value.hpp"
#include "providers/infiniband/parsers/ib_messages.hpp"

namespace fabric::providers {

// opensm.conf, the options of OpenSM, as OpenSM reads it.
struct OpensmOption {
  std::string key;
  // The text after the key to the end of the line, as OpenSM takes it (there are no comments behind
  // a value), without one pair of quotation marks. Nullopt: "(null)", not set.
  std::optional<std::string> value;
  std::size_t line = 1;
  // The earlier line with the same key: OpenSM takes the last one.
  std::optional<std::size_t> repeats_line;
};

struct OpensmConf {
  std::vector<OpensmOption> options;  // in order, repeated ones too

  // The last option with this key; null if OpenSM's default holds.
  const OpensmOption* find(std::string_view key) const;
};

// Fails with ErrorCode::invalid, "line N: ...", on a line that is no `key value` and that OpenSM
// would skip silently, and on a line that is longer than OpenSM reads. A file may have no option.
Result<OpensmConf> parse_opensm_conf(std::string_view text);
// {"options": [{"key", "value", "line"}], "values": {key: value, ...}}; null is "(null)".
Value to_value(const OpensmConf& conf);

// Lines of OpenSM's log about its routing of the subnet and its own state. A configured routing
// engine is no evidence of routing: where one fails, OpenSM takes the next one and at last minhop.
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

// `sminfo`: the manager of the subnet, or why none answered.
enum class SmState : std::uint8_t { not_active, discovering, standby, master };

// "not-active", "discovering", "standby", "master".
std::string_view state_name(SmState state);

struct SubnetManager {
  std::optional<std::int64_t> lid;  // 1 to 49151
  Guid guid{0};                     // of the port it runs on
  std::int64_t activity = 0;        // counts up while it lives: ask twice
  std::int64_t priority = 0;        // 0 (lowest) to 15
  std::optional<SmState> state;     // nullopt: "???", a state that no standard has
};

enum class SmFailure : std::uint8_t {
  no_answer,      // the LID that the port was told is silent, or the port knows none: no manager
  not_permitted,  // a virtual function, or no root: this port can't ask, which says nothing
  no_device,      // no such device or port, or no driver for management datagrams
  not_resolved    // the port asked for (-G) can't be found, without a manager or at all
};

// "no-answer", ...
std::string_view failure_name(SmFailure failure);

struct SmInfo {
  // Exactly one of both has a value.
  std::optional<SubnetManager> manager;
  std::optional<SmFailure> failure;
  std::vector<ToolNote> notes;  // all else that was printed
};

// Fails with ErrorCode::invalid, "line N: ...", on an answer of another shape and on a text that is
// neither an answer nor a known failure.
Result<SmInfo> parse_sminfo(std::string_view text);
Value to_value(const SmInfo& info);

}  // namespace fabric::providers
