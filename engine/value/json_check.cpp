// SPDX-License-Identifier: Apache-2.0
#include "engine/value/json_check.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "engine/base/limits.hpp"
#include "engine/value/value.hpp"

namespace fabric {

namespace {

// Reading may take 40 bytes for each byte of a text, and always 16 MB. This is the values' part of
// the 40; work made of the values takes the rest.
constexpr std::size_t kBytesPerByte = 24;
constexpr std::size_t kBytesFree = 8 * limits::kMebibyte;

constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";
// A node of a map beside its key and its value, and what the allocator adds.
constexpr std::size_t kNodeBytes = 48;
constexpr std::size_t kMemberBytes = kNodeBytes + sizeof(std::string) + sizeof(Value);

bool is_digit(int c) {
  return c >= '0' && c <= '9';
}

bool is_hex(int c) {
  return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

// How many bytes follow the first one of a UTF-8 sequence, and between what the second one lies: no
// overlong forms, no surrogates, nothing beyond U+10FFFF.
struct Sequence {
  int follow = -1;  // -1: the byte begins no sequence
  int least = 0x80;
  int most = 0xbf;
};

Sequence sequence_of(int lead) {
  if (lead < 0x80) return {0};
  if (lead >= 0xc2 && lead <= 0xdf) return {1};
  if (lead >= 0xe0 && lead <= 0xef)
    return {2, lead == 0xe0 ? 0xa0 : 0x80, lead == 0xed ? 0x9f : 0xbf};
  if (lead >= 0xf0 && lead <= 0xf4)
    return {3, lead == 0xf0 ? 0x90 : 0x80, lead == 0xf4 ? 0x8f : 0xbf};
  return {};
}

class Look {
 public:
  Look(const NextPiece& more, std::size_t bytes_most) : more_{more}, bytes_most_{bytes_most} {
    piece_ = more_();
  }

  std::optional<JsonProblem> run() {
    constexpr int kMarkBegins = 0xef;
    if (next() == kMarkBegins && !word(kByteOrderMark)) return problem();
    if (!values()) return problem();
    skip_blanks();
    if (next() < 0) return std::nullopt;
    refuse("not valid JSON: text behind the value");
    return problem();
  }

 private:
  struct Open {
    bool map = false;
    std::size_t members = 0;
  };

  JsonProblem problem() const { return {line_, column_, what_}; }
  bool refuse(std::string what) {
    what_ = std::move(what);
    return false;
  }
  bool unexpected() {
    return refuse(
        next() >= 0 ? "not valid JSON: unexpected character" : "not valid JSON: unexpected end");
  }
  // The next byte, -1 at the end.
  int next() const { return piece_.empty() ? -1 : static_cast<unsigned char>(piece_.front()); }
  // REQUIRES: next() >= 0.
  void pass() {
    const bool line_ends = piece_.front() == '\n';
    line_ += line_ends ? 1 : 0;
    column_ = line_ends ? 1 : column_ + 1;
    piece_.remove_prefix(1);
    if (piece_.empty()) piece_ = more_();
  }
  bool take(char c) {
    if (next() != static_cast<unsigned char>(c)) return false;
    pass();
    return true;
  }
  void skip_blanks() {
    while (next() == ' ' || next() == '\n' || next() == '\r' || next() == '\t')
      pass();
  }

  bool word(std::string_view expected) {
    return std::ranges::all_of(expected, [this](char c) { return take(c) || unexpected(); });
  }
  void digits() {
    while (is_digit(next()))
      pass();
  }
  bool number() {
    take('-');
    if (!is_digit(next())) return unexpected();
    if (!take('0')) digits();
    if (take('.')) {
      if (!is_digit(next())) return unexpected();
      digits();
    }
    if (take('e') || take('E')) {
      if (!take('+')) take('-');
      if (!is_digit(next())) return unexpected();
      digits();
    }
    return true;
  }

  // Behind "\u": four hexadecimal digits.
  std::optional<unsigned> code_unit() {
    constexpr int kDigits = 4;
    unsigned value = 0;
    for (int i = 0; i < kDigits; ++i) {
      const int c = next();
      if (!is_hex(c)) return std::nullopt;
      const int digit = is_digit(c) ? c - '0' : (c | 0x20) - 'a' + 10;
      value = value * 16 + static_cast<unsigned>(digit);
      pass();
    }
    return value;
  }
  bool escape() {
    if (!take('u')) {
      constexpr std::string_view kEscapes = "\"\\/bfnrt";
      const int c = next();
      if (c < 0 || c > 0x7f || kEscapes.find(static_cast<char>(c)) == std::string_view::npos)
        return unexpected();
      pass();
      return true;
    }
    const std::optional<unsigned> first = code_unit();
    if (!first) return unexpected();
    if (*first < 0xd800 || *first > 0xdfff) return true;
    // The first half of a pair, and then the second.
    if (*first > 0xdbff || !take('\\') || !take('u')) return unexpected();
    const std::optional<unsigned> second = code_unit();
    return (second && *second >= 0xdc00 && *second <= 0xdfff) || unexpected();
  }
  bool character() {
    const int lead = next();
    const Sequence sequence = sequence_of(lead);
    if (lead < 0x20 || sequence.follow < 0) return unexpected();
    pass();
    for (int i = 0; i < sequence.follow; ++i) {
      const bool second = i == 0;
      if (next() < (second ? sequence.least : 0x80) || next() > (second ? sequence.most : 0xbf))
        return unexpected();
      pass();
    }
    return true;
  }
  bool string() {
    if (!take('"')) return unexpected();
    std::size_t characters = 0;
    while (!take('"')) {
      if (take('\\') ? !escape() : !character()) return false;
      ++characters;
    }
    if (characters >= sizeof(std::string) / 2) bytes_ += characters;
    return true;
  }

  bool scalar() {
    switch (next()) {
      case '"':
        return string();
      case 't':
        return word("true");
      case 'f':
        return word("false");
      case 'n':
        return word("null");
      default:
        return number();
    }
  }

  // Counts the memory of the value in its list or map.
  bool account() {
    if (!open_.empty()) {
      Open& parent = open_.back();
      bytes_ += parent.map ? kMemberBytes : sizeof(Value);
      // A list moves as it grows.
      if (!parent.map) largest_ = std::max(largest_, ++parent.members * sizeof(Value));
    }
    if (bytes_ + largest_ <= bytes_most_) return true;
    return refuse("more values than a text of this length may have");
  }

  // Up to where a value begins: behind a key in a map.
  bool begin_value() {
    skip_blanks();
    if (open_.empty() || !open_.back().map) return true;
    if (!string()) return false;
    skip_blanks();
    if (!take(':')) return unexpected();
    skip_blanks();
    return true;
  }

  // True where a list or a map begins and has members.
  bool opens() {
    open_.push_back({next() == '{', 0});
    pass();
    skip_blanks();
    return next() != (open_.back().map ? '}' : ']');
  }

  // After a value: reads "," or ends, each of which ends another value. False at the end of the
  // text, or at any other character (what_).
  bool goes_on() {
    while (!open_.empty()) {
      skip_blanks();
      if (take(',')) return true;
      if (!take(open_.back().map ? '}' : ']')) return unexpected();
      open_.pop_back();
      if (!account()) return false;
    }
    return false;
  }

  bool values() {
    do {
      if (!begin_value()) return false;
      if (next() == '{' || next() == '[') {
        if (open_.size() >= static_cast<std::size_t>(limits::kNestingDepth))
          return refuse(fmt::format("nested deeper than {} levels", limits::kNestingDepth));
        const bool members = opens();
        if (members) {
          again_ = true;
          continue;
        }
      } else {
        if (!scalar() || !account()) return false;
      }
      again_ = goes_on();
    } while (again_);
    return what_.empty();
  }

  const NextPiece& more_;
  std::string_view piece_;
  std::size_t bytes_most_;
  std::size_t line_ = 1;
  std::size_t column_ = 1;
  std::size_t bytes_ = 0;
  std::size_t largest_ = 0;
  bool again_ = true;
  std::vector<Open> open_;
  std::string what_;
};

}  // namespace

std::optional<JsonProblem> check_json(const NextPiece& next, std::size_t bytes_most) {
  return Look{next, bytes_most}.run();
}

std::optional<JsonProblem> check_json(std::string_view text, std::size_t bytes_most) {
  return check_json([&text] { return std::exchange(text, {}); }, bytes_most);
}

std::size_t json_bytes_most(std::size_t text_bytes) {
  return kBytesPerByte * text_bytes + kBytesFree;
}

}  // namespace fabric
