// SPDX-License-Identifier: Apache-2.0
// opensm.conf, the options of OpenSM, as OpenSM reads it.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/result.hpp"
#include "engine/value/value.hpp"

namespace fabric::providers {

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

}  // namespace fabric::providers
