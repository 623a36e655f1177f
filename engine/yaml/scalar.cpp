// SPDX-License-Identifier: Apache-2.0
#include "engine/yaml/scalar.hpp"

#include <charconv>

#include "engine/base/text.hpp"
#include "engine/yaml/number_form.hpp"

namespace fabric::yaml {

namespace {

// REQUIRES: `digits` are digits of `base`, with an optional '-'. Beyond 64 bits a double, which
// keeps the magnitude.
ScalarValue integer_or_double(std::string_view digits, int base) {
  std::int64_t value = 0;
  const auto [end, failure] =
      std::from_chars(digits.data(), digits.data() + digits.size(), value, base);
  if (failure == std::errc{}) return value;
  double large = 0;
  for (const char c : without_sign(digits)) {
    const int digit = is_digit(c) ? c - '0' : (to_lower(std::string_view{&c, 1})[0] - 'a') + 10;
    large = large * base + digit;
  }
  return digits.front() == '-' ? -large : large;
}

}  // namespace

ScalarValue interpret(const Node& node) {
  if (node.kind != Kind::scalar) return std::monostate{};
  const std::string_view text = node.text;
  if (node.quoted) return std::string{text};
  if (is_one_of(text, {"", "~", "null", "Null", "NULL"})) return std::monostate{};
  if (is_one_of(text, {"true", "True", "TRUE"})) return true;
  if (is_one_of(text, {"false", "False", "FALSE"})) return false;
  if (is_decimal(text)) {
    return integer_or_double(text.front() == '+' ? text.substr(1) : text, 10);
  }
  if (is_prefixed(text, "0x", kHexDigits)) return integer_or_double(text.substr(2), 16);
  if (is_prefixed(text, "0o", kOctalDigits)) return integer_or_double(text.substr(2), 8);
  if (is_float(text)) return to_double(text);
  return std::string{text};
}

}  // namespace fabric::yaml
