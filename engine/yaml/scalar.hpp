// SPDX-License-Identifier: Apache-2.0
// Values of plain scalars by YAML 1.2's core schema, and where YAML 1.1 readers would disagree.
#pragma once

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "engine/yaml/node.hpp"

namespace fabric::yaml {

using ScalarValue = std::variant<std::monostate, bool, std::int64_t, double, std::string>;

// The value of a node. REQUIRES: node is a scalar or null. Quoted scalars are strings. Decimal, 0x
// and 0o integers, true/false (and True, TRUE, ...), null/~, floats; everything else is a string.
ScalarValue interpret(const Node& node);

// The type of an ambiguous scalar to a YAML 1.1 reader. `fraction`: a number, as to a 1.2 reader,
// though a text was meant (a version, "28.40").
enum class OldReading : std::uint8_t { yes, no, fraction, other };

struct Ambiguity {
  OldReading old = OldReading::other;
  std::string why;  // completes "'no' is ..."
};

// Why a plain scalar is taken for different values by YAML 1.1 and 1.2 readers, e.g. for `no`,
// `010`, `1_000`, `11:22:33:44:55:55`, `0000:03:00.0`, `28.40`, `1e3`; nullopt if all agree. Single
// letters (y, n) are exempt.
std::optional<Ambiguity> ambiguity(std::string_view plain_text);

// The forms that numbers have in YAML 1.2 (core schema) and had in YAML 1.1. Every function looks
// at the whole text.
inline constexpr std::string_view kHexDigits = "0123456789abcdefABCDEF";
inline constexpr std::string_view kOctalDigits = "01234567";

inline bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

inline bool is_one_of(std::string_view text, std::initializer_list<std::string_view> words) {
  return std::find(words.begin(), words.end(), text) != words.end();
}

// True for a text that is not empty and has only characters of `set`.
inline bool consists_of(std::string_view text, std::string_view set) {
  return !text.empty() && text.find_first_not_of(set) == std::string_view::npos;
}

std::string_view without_sign(std::string_view text);

// [-+]? [0-9]+
bool is_decimal(std::string_view text);
// `prefix` and digits of `digits`: 0x1f, 0o17, 0b11.
bool is_prefixed(std::string_view text, std::string_view prefix, std::string_view digits);
// [-+]? ( \. [0-9]+ | [0-9]+ ( \. [0-9]* )? ) ( [eE] [-+]? [0-9]+ )?, .inf, .nan
bool is_float(std::string_view text);
// Base 60 of YAML 1.1: 11:22:33 and 0000:03:00.0.
bool is_sexagesimal(std::string_view text);
// 2001-12-14, also followed by a time.
bool is_date(std::string_view text);

// REQUIRES: is_decimal or is_float. Beyond a double's range: infinity, or 0.
double to_double(std::string_view text);

}  // namespace fabric::yaml
