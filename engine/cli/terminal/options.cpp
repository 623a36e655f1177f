// SPDX-License-Identifier: Apache-2.0
#include "engine/cli/terminal/options.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

#include "engine/base/text.hpp"

namespace fabric::cli {

Result<Duration> parse_duration(std::string_view text) {
  constexpr std::array<std::pair<std::string_view, std::int64_t>, 5> kUnits{
      {{"ms", 1}, {"s", 1'000}, {"m", 60'000}, {"h", 3'600'000}, {"d", 24 * 3'600'000}}};
  // A year; longer is a slip of the keyboard and would overflow on the way.
  constexpr std::int64_t kLongest = std::int64_t{366} * 24 * 3'600'000;
  const Error wrong{
      ErrorCode::invalid,
      fmt::format("expected a duration as 500ms, 30s, 2m or 1h30m, found '{}'", text)};
  std::int64_t total = 0;
  std::string_view rest = text;
  while (!rest.empty()) {
    const std::size_t digits = std::min(rest.find_first_not_of("0123456789"), rest.size());
    const std::size_t letters = std::min(rest.find_first_of("0123456789", digits), rest.size());
    const std::optional<std::int64_t> number = parse_integer(rest.substr(0, digits));
    const std::string_view written = rest.substr(digits, letters - digits);
    const auto unit = std::find_if(
        kUnits.begin(), kUnits.end(), [&](const auto& known) { return known.first == written; });
    if (!number || unit == kUnits.end() || *number > kLongest / unit->second) return wrong;
    total += *number * unit->second;
    if (total > kLongest) return wrong;
    rest.remove_prefix(letters);
  }
  if (text.empty()) return wrong;
  return Duration{total};
}

}  // namespace fabric::cli
