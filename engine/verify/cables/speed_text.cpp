#include "engine/verify/cables/speed_text.hpp"

#include <algorithm>

#include "engine/base/text.hpp"

namespace fabric::verify {

std::optional<std::int64_t> declared_speed_mbps(const std::string& speed) {
  const std::size_t end = std::min(speed.find_first_not_of("0123456789"), speed.size());
  const std::optional<std::int64_t> number = parse_integer(speed.substr(0, end));
  const std::string_view unit = trim(std::string_view{speed}.substr(end));
  if (!number || unit.empty() || (unit.front() != 'G' && unit.front() != 'g')) return std::nullopt;
  return *number * 1000;
}

}  // namespace fabric::verify
