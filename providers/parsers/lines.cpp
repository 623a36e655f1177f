// SPDX-License-Identifier: Apache-2.0
#include "providers/parsers/lines.hpp"

#include <algorithm>

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

}  // namespace fabric::providers
