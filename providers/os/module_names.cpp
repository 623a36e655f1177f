// SPDX-License-Identifier: Apache-2.0
#include "providers/os/module_names.hpp"

#include <algorithm>
#include <optional>
#include <vector>

#include "engine/base/text.hpp"

namespace fabric::providers {

namespace {

// Parses as kstrtobool, for texts that are no numbers.
std::optional<bool> truth(std::string_view text) {
  const std::string word = to_lower(text);
  for (const std::string_view yes : {"1", "y", "yes", "on", "true"}) {
    if (word == yes) return true;
  }
  for (const std::string_view no : {"0", "n", "no", "off", "false"}) {
    if (word == no) return false;
  }
  return std::nullopt;
}

// Parses as kstrtoint with base 0, without octal.
std::optional<std::int64_t> number(std::string_view text) {
  const bool negative = text.starts_with('-');
  const std::string_view digits = negative ? text.substr(1) : text;
  if (digits.starts_with("0x") || digits.starts_with("0X")) {
    const auto hex = parse_unsigned(digits.substr(2), 16);
    if (!hex || *hex > 0x7fff'ffff'ffff'ffffULL) return std::nullopt;
    const auto value = static_cast<std::int64_t>(*hex);
    return negative ? -value : value;
  }
  return parse_integer(text);
}

bool same_element(std::string_view shown, std::string_view wanted) {
  if (shown == wanted) return true;
  if (shown == "Y" || shown == "N") return truth(wanted) == (shown == "Y");
  const auto a = number(shown);
  return a && a == number(wanted);
}

}  // namespace

std::string module_name(std::string_view written) {
  std::string name{written};
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

bool same_parameter(std::string_view shown, std::string_view wanted) {
  shown = trim(shown);
  wanted = trim(wanted);
  if (shown == "(null)") return wanted.empty();  // a text that was never set
  if (shown == wanted) return true;
  const std::vector<std::string_view> a = split(shown, ',');
  const std::vector<std::string_view> b = split(wanted, ',');
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](auto x, auto y) {
    return same_element(trim(x), trim(y));
  });
}

}  // namespace fabric::providers
