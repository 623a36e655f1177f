// SPDX-License-Identifier: Apache-2.0
// The forms that numbers have in YAML 1.2 (core schema) and had in YAML 1.1. Every function looks
// at the whole text.
#pragma once

#include <algorithm>
#include <initializer_list>
#include <string_view>

namespace fabric::yaml {

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
