// SPDX-License-Identifier: Apache-2.0
#include "engine/description/names.hpp"

#include <fmt/format.h>

#include "engine/base/text.hpp"

namespace fabric::description {

namespace {

constexpr std::size_t kLongestName = 253;

bool is_name_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
         c == '_' || c == '.';
}

}  // namespace

std::string safe_name(std::string_view text) {
  std::string name;
  for (const char c : trim(text)) {
    const bool good = is_name_character(c);
    if (good) name += c;
    if (!good && !name.empty() && name.back() != '-') name += '-';
  }
  const std::size_t begin = name.find_first_not_of("-.");
  name = begin == std::string::npos ? "" : name.substr(begin, kLongestName);
  while (!name.empty() && name.back() == '-')
    name.pop_back();
  return name.empty() ? "unnamed" : name;
}

std::string as_written(std::string_view text, const std::string& lower) {
  const std::size_t at = to_lower(text).find(lower);
  return std::string{at == std::string::npos ? lower : text.substr(at, lower.size())};
}

std::string counted(std::size_t count, std::string_view noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

}  // namespace fabric::description
