// SPDX-License-Identifier: Apache-2.0
#include "providers/parsers/lines.hpp"

#include <algorithm>
#include <charconv>
#include <system_error>

#include <fmt/format.h>

#include "engine/base/text.hpp"

namespace fabric::providers {

Error error_at(std::size_t line, std::string_view what) {
  return {ErrorCode::invalid, fmt::format("line {}: {}", std::max<std::size_t>(line, 1), what)};
}

Error error_at(std::size_t line, std::size_t column, std::string_view what) {
  return {ErrorCode::invalid, fmt::format("line {}, column {}: {}", line, column, what)};
}

std::optional<KeyValue> key_value(std::string_view line) {
  const std::size_t colon = line.find(':');
  if (colon == std::string_view::npos || colon == 0) return std::nullopt;
  return KeyValue{trim(line.substr(0, colon)), trim(line.substr(colon + 1))};
}

std::string snake_case(std::string_view key) {
  std::string name;
  for (const char c : to_lower(key)) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
    if (plain) {
      name += c;
    } else if (!name.empty() && name.back() != '_') {
      name += '_';
    }
  }
  while (!name.empty() && name.back() == '_')
    name.pop_back();
  return name;
}

std::optional<std::int64_t> gigabits_as_mbps(std::string_view text) {
  double number = 0;
  const auto [rest, failure] = std::from_chars(text.data(), text.data() + text.size(), number);
  const std::string_view unit = trim(text.substr(static_cast<std::size_t>(rest - text.data())));
  constexpr double kMost = 1e6;
  if (failure != std::errc{} || number <= 0 || number > kMost || !to_lower(unit).starts_with('g'))
    return std::nullopt;
  return static_cast<std::int64_t>(number * 1000);
}

}  // namespace fabric::providers
