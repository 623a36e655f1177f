// SPDX-License-Identifier: Apache-2.0
#include "providers/os/package_version.hpp"

#include <cstdint>
#include <vector>

#include "engine/base/text.hpp"

namespace fabric::providers {

namespace {

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

// Empty if it does not begin with one, or one is out of range.
std::vector<std::uint64_t> numbers_of(std::string_view text) {
  std::vector<std::uint64_t> numbers;
  while (!text.empty() && is_digit(text.front())) {
    std::size_t end = 0;
    while (end < text.size() && is_digit(text[end]))
      ++end;
    const auto number = parse_unsigned(text.substr(0, end), 10);
    if (!number) return {};
    numbers.push_back(*number);
    text.remove_prefix(end);
    if (text.empty() || (text.front() != '.' && text.front() != '-')) break;
    text.remove_prefix(1);
  }
  return numbers;
}

}  // namespace

std::optional<bool> is_older_version(std::string_view found, std::string_view minimum) {
  const std::vector<std::uint64_t> a = numbers_of(trim(found));
  const std::vector<std::uint64_t> b = numbers_of(trim(minimum));
  if (a.empty() || b.empty()) return std::nullopt;
  return a < b;
}

}  // namespace fabric::providers
