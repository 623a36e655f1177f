// SPDX-License-Identifier: Apache-2.0
// One line, read from left to right by its words, never by columns.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string_view>

#include "engine/base/text.hpp"

namespace fabric::providers {

class LineCursor {
 public:
  explicit LineCursor(std::string_view line) : line_{line} {}

  // The column of the next character, from 1.
  std::size_t column() const { return position_ + 1; }
  std::string_view rest() const { return line_.substr(position_); }

  bool at_end() {
    skip_blanks();
    return position_ == line_.size();
  }

  // Each of the functions below skips blanks first, and moves on only if it finds its token.
  bool take(std::string_view expected) {
    skip_blanks();
    if (!rest().starts_with(expected)) return false;
    position_ += expected.size();
    return true;
  }

  // Takes decimal digits.
  std::optional<std::int64_t> number() {
    const auto value = digits(10);
    if (!value || *value > kLargest) return std::nullopt;
    return static_cast<std::int64_t>(*value);
  }

  // Takes hexadecimal digits, with or without 0x.
  std::optional<std::uint64_t> hexadecimal() {
    skip_blanks();
    const std::size_t start = position_;
    if (rest().starts_with("0x")) position_ += 2;
    const auto value = digits(16);
    if (!value) position_ = start;
    return value;
  }

  // Takes the text between two quotation marks; the last mark of the line closes if `greedy`.
  std::optional<std::string_view> quoted(bool greedy = false) {
    skip_blanks();
    if (!rest().starts_with('"')) return std::nullopt;
    const std::string_view inside = rest().substr(1);
    const std::size_t end = greedy ? inside.rfind('"') : inside.find('"');
    if (end == std::string_view::npos) return std::nullopt;
    position_ += end + 2;
    return inside.substr(0, end);
  }

  // Takes the text up to the next blank; "" at the end.
  std::string_view word() {
    skip_blanks();
    const std::size_t end = std::min(rest().find_first_of(" \t"), rest().size());
    const std::string_view text = rest().substr(0, end);
    position_ += end;
    return text;
  }

 private:
  static constexpr std::uint64_t kLargest = INT32_MAX;

  void skip_blanks() {
    position_ = std::min(line_.find_first_not_of(" \t\r", position_), line_.size());
  }

  std::optional<std::uint64_t> digits(int base) {
    skip_blanks();
    const std::string_view allowed =
        base == 16 ? "0123456789abcdefABCDEF" : std::string_view{"0123456789"};
    const std::size_t end = std::min(rest().find_first_not_of(allowed), rest().size());
    const auto value = parse_unsigned(rest().substr(0, end), base);
    if (value) position_ += end;
    return value;
  }

  std::string_view line_;
  std::size_t position_ = 0;
};

}  // namespace fabric::providers
