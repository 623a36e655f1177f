// SPDX-License-Identifier: Apache-2.0
#include <optional>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "engine/base/text.hpp"
#include "engine/yaml/scalar.hpp"

namespace fabric::yaml {

namespace {

// 010 is octal to YAML 1.1, 09 is nothing to it, both are decimal to YAML 1.2.
std::string leading_zero(std::string_view text) {
  const std::string_view body = without_sign(text);
  const std::string_view sign = text.front() == '-' ? "-" : "";
  const std::string_view decimal =
      body.substr(std::min(body.find_first_not_of('0'), body.size() - 1));
  const auto octal = parse_unsigned(body, 8);
  if (!octal) return fmt::format("a text to YAML 1.1 readers and {}{} to others", sign, decimal);
  return fmt::format("{}{} to YAML 1.1 readers and {}{} to others", sign, *octal, sign, decimal);
}

bool has_leading_zero(std::string_view text) {
  const std::string_view body = without_sign(text);
  return body.size() > 1 && body.front() == '0' && is_decimal(text);
}

// The form of `text` that was a number in YAML 1.1 and is a text since; "" if it is none.
std::string_view old_number(std::string_view text) {
  const std::string_view body = without_sign(text);
  if (is_prefixed(body, "0b", "01_")) return "a binary number";
  if (is_prefixed(body, "0x", kHexDigits)) return "a hexadecimal number";
  if (is_sexagesimal(text)) return "a number in base 60";
  const bool underscore = body.find('_') != std::string_view::npos;
  const bool digits = !body.empty() && is_digit(body.front()) && consists_of(body, "0123456789_.");
  if (underscore && (digits || is_prefixed(body, "0x", "0123456789abcdefABCDEF_"))) {
    return "a number without its underscores";
  }
  return is_date(text) ? "a date" : "";
}

}  // namespace

std::optional<Ambiguity> ambiguity(std::string_view text) {
  if (text.empty()) return std::nullopt;
  if (is_one_of(text, {"yes", "Yes", "YES", "on", "On", "ON"})) {
    return Ambiguity{OldReading::yes, "true to YAML 1.1 readers and a text to others"};
  }
  if (is_one_of(text, {"no", "No", "NO", "off", "Off", "OFF"})) {
    return Ambiguity{OldReading::no, "false to YAML 1.1 readers and a text to others"};
  }
  if (text == "=") {
    return Ambiguity{OldReading::other, "a special mark to YAML 1.1 readers and a text to others"};
  }
  const char first = text.front();
  if (!is_digit(first) && first != '.' && first != '-' && first != '+') return std::nullopt;
  if (has_leading_zero(text)) return Ambiguity{OldReading::other, leading_zero(text)};
  if (is_decimal(text) || is_prefixed(text, "0x", kHexDigits)) return std::nullopt;
  if (is_prefixed(text, "0o", kOctalDigits)) {
    return Ambiguity{OldReading::other, "a text to YAML 1.1 readers and an octal number to others"};
  }
  if (const std::string_view old = old_number(text); !old.empty()) {
    return Ambiguity{
        OldReading::other, fmt::format("{} to YAML 1.1 readers and a text to others", old)};
  }
  if (!is_float(text)) return std::nullopt;
  if (text.find('.') == std::string_view::npos) {
    return Ambiguity{
        OldReading::other,
        fmt::format("a text to YAML 1.1 readers and the number {} to others", to_double(text))};
  }
  return Ambiguity{OldReading::fraction, fmt::format("read as the number {}", to_double(text))};
}

}  // namespace fabric::yaml
