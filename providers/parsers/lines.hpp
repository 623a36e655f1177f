// SPDX-License-Identifier: Apache-2.0
// Helpers for parsers of tools that print `Key: value` lines.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "engine/base/error.hpp"

namespace fabric::providers {

// "line 3: what", from 1.
Error error_at(std::size_t line, std::string_view what);
// "line 3, column 12: what", both from 1.
Error error_at(std::size_t line, std::size_t column, std::string_view what);

struct KeyValue {
  std::string_view key;
  std::string_view value;
};

// "  Key:   value"; nullopt for another shape.
std::optional<KeyValue> key_value(std::string_view line);

// "FW Version(Running)" to "fw_version_running".
std::string snake_case(std::string_view key);

// 100000 of "100G", "100 Gbps" and "100.0 Gb/s"; nullopt in another unit.
std::optional<std::int64_t> gigabits_as_mbps(std::string_view text);

}  // namespace fabric::providers
