// SPDX-License-Identifier: Apache-2.0
#include "engine/yaml/scalar.hpp"

#include <charconv>
#include <limits>
#include <vector>

#include "engine/base/text.hpp"

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

namespace {

constexpr std::string_view kDigits = "0123456789";

// The count of leading characters of `text` that are digits.
std::size_t leading_digits(std::string_view text) {
  return std::min(text.find_first_not_of(kDigits), text.size());
}

bool is_special_float(std::string_view text) {
  return is_one_of(text, {".nan", ".NaN", ".NAN"}) ||
         is_one_of(without_sign(text), {".inf", ".Inf", ".INF"});
}

// "0" to "59", one or two digits.
bool is_sixtieth(std::string_view part) {
  if (part.empty() || part.size() > 2 || !consists_of(part, kDigits)) return false;
  return part.size() == 1 || part[0] <= '5';
}

}  // namespace

std::string_view without_sign(std::string_view text) {
  const bool sign = !text.empty() && (text.front() == '-' || text.front() == '+');
  return sign ? text.substr(1) : text;
}

bool is_decimal(std::string_view text) {
  return consists_of(without_sign(text), kDigits);
}

bool is_prefixed(std::string_view text, std::string_view prefix, std::string_view digits) {
  return text.substr(0, prefix.size()) == prefix && consists_of(text.substr(prefix.size()), digits);
}

bool is_float(std::string_view text) {
  if (is_special_float(text)) return true;
  std::string_view rest = without_sign(text);
  const std::size_t whole = leading_digits(rest);
  rest.remove_prefix(whole);
  std::size_t fraction = 0;
  if (!rest.empty() && rest.front() == '.') {
    rest.remove_prefix(1);
    fraction = leading_digits(rest);
    rest.remove_prefix(fraction);
  }
  if (whole + fraction == 0) return false;
  if (rest.empty()) return true;
  return (rest.front() == 'e' || rest.front() == 'E') && is_decimal(rest.substr(1));
}

bool is_sexagesimal(std::string_view text) {
  const std::string_view body = without_sign(text);
  const std::size_t colon = body.find(':');
  if (colon == std::string_view::npos || colon == 0) return false;
  if (!is_digit(body[0]) || !consists_of(body.substr(0, colon), "0123456789_")) return false;
  const std::string_view rest = body.substr(colon + 1);
  const std::size_t dot = rest.find('.');
  const bool fraction = dot != std::string_view::npos;
  // Without a fraction YAML 1.1 wants no leading zero.
  if (!fraction && body.front() == '0') return false;
  if (fraction && dot + 1 < rest.size() && !consists_of(rest.substr(dot + 1), "0123456789_")) {
    return false;
  }
  const std::vector<std::string_view> parts = split(rest.substr(0, dot), ':');
  return std::all_of(parts.begin(), parts.end(), is_sixtieth);
}

bool is_date(std::string_view text) {
  const std::vector<std::string_view> parts = split(text.substr(0, text.find_first_of("tT ")), '-');
  return parts.size() == 3 && parts[0].size() == 4 && parts[1].size() <= 2 &&
         parts[2].size() <= 2 && std::all_of(parts.begin(), parts.end(), [](std::string_view part) {
           return consists_of(part, kDigits);
         });
}

double to_double(std::string_view text) {
  std::string lower = to_lower(text);
  if (lower == ".nan") return std::numeric_limits<double>::quiet_NaN();
  const bool negative = lower.front() == '-';
  lower = std::string{without_sign(lower)};
  double magnitude = 0;
  if (lower == ".inf") {
    magnitude = std::numeric_limits<double>::infinity();
  } else {
    const auto [end, failure] =
        std::from_chars(lower.data(), lower.data() + lower.size(), magnitude);
    if (failure == std::errc::result_out_of_range) {
      const bool tiny =
          lower.find("e-") != std::string::npos || lower.front() == '0' || lower.front() == '.';
      magnitude = tiny ? 0 : std::numeric_limits<double>::infinity();
    }
  }
  return negative ? -magnitude : magnitude;
}

}  // namespace fabric::yaml
