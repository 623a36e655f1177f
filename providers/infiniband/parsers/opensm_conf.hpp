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
  // What follows the key to the end of the line, as OpenSM takes it (there are no comments behind a
  // value); one pair of quotation marks removed. Nullopt: "(null)", not set.
  std::optional<std::string> value;
  std::size_t line = 1;
  // Where the same key stands before: OpenSM takes the last one.
  std::optional<std::size_t> repeats_line;
};

struct OpensmConf {
  std::vector<OpensmOption> options;  // in order, repeated ones too

  // The one that holds, or null: then OpenSM's default does.
  const OpensmOption* find(std::string_view key) const;
};

// Fails with ErrorCode::invalid, "line N: ...", on a line that is no `key value`, which OpenSM
// would skip without a word, and on one that is longer than OpenSM reads. No option is no failure.
Result<OpensmConf> parse_opensm_conf(std::string_view text);
// {"options": [{"key", "value", "line"}], "values": {key: value, ...}}; null is "(null)".
Value to_value(const OpensmConf& conf);

}  // namespace fabric::providers
