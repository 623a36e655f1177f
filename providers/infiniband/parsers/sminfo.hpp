// SPDX-License-Identifier: Apache-2.0
// `sminfo`: the manager of the subnet, or why none answered.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "engine/base/result.hpp"
#include "engine/model/names.hpp"
#include "engine/value/value.hpp"
#include "providers/infiniband/parsers/ib_messages.hpp"

namespace fabric::providers {

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
