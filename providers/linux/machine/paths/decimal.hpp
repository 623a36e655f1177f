// SPDX-License-Identifier: Apache-2.0
// Decimal numbers, as the measuring tools print them.
#pragma once

#include <charconv>
#include <cmath>
#include <optional>
#include <string_view>

namespace fabric::platform {

// The whole text as a number that is finite and not negative.
inline std::optional<double> parse_decimal(std::string_view text) {
  double number = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (failure != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  if (!std::isfinite(number) || number < 0) return std::nullopt;
  return number;
}

}  // namespace fabric::platform
