// SPDX-License-Identifier: Apache-2.0
#include "engine/verify/cables/speed_text.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "engine/base/text.hpp"

namespace fabric::verify {

std::optional<std::int64_t> declared_speed_mbps(const std::string& speed) {
  const std::size_t end = std::min(speed.find_first_not_of("0123456789"), speed.size());
  const std::optional<std::int64_t> number = parse_integer(speed.substr(0, end));
  const std::string_view unit = trim(std::string_view{speed}.substr(end));
  // `speed: 100` has no unit: the document counts in Gb/s.
  if (!number || (!unit.empty() && unit.front() != 'G' && unit.front() != 'g')) return std::nullopt;
  return *number * 1000;
}

std::string speed_text(std::uint64_t mbps) {
  constexpr std::uint64_t kGigabit = 1000;
  return mbps % kGigabit == 0 ? fmt::format("{} Gb/s", mbps / kGigabit)
                              : fmt::format("{} Mb/s", mbps);
}

}  // namespace fabric::verify
