// SPDX-License-Identifier: Apache-2.0
#include "providers/esx_classic/parsers/port_types.hpp"

#include <fmt/format.h>

#include "engine/base/text.hpp"

namespace fabric::providers {

Result<std::vector<PortType>> parse_port_types(std::string_view text) {
  std::vector<PortType> types;
  if (trim(text).empty()) return types;
  std::vector<std::uint32_t> numbers;
  for (const std::string_view item : split(text, ',')) {
    constexpr std::uint64_t kLargest = 255;
    const auto number = parse_unsigned(trim(item), 10);
    if (!number || *number > kLargest)
      return Error{ErrorCode::invalid, fmt::format("port_types: '{}' is no number", trim(item))};
    numbers.push_back(static_cast<std::uint32_t>(*number));
  }
  constexpr std::size_t kTriplet = 3;
  if (numbers.size() % kTriplet != 0)
    return Error{
        ErrorCode::invalid,
        fmt::format("port_types: {} numbers are no triplets: '{}'", numbers.size(), text)};
  for (std::size_t at = 0; at < numbers.size(); at += kTriplet)
    types.push_back({numbers[at], numbers[at + 1], numbers[at + 2]});
  return types;
}

std::optional<std::uint32_t> type_of(
    const std::vector<PortType>& types, std::uint32_t bus, std::uint32_t port) {
  std::optional<std::uint32_t> type;
  for (const PortType& each : types) {
    if (each.bus == bus && each.port == port) type = each.type;
  }
  return type;
}

}  // namespace fabric::providers
