// SPDX-License-Identifier: Apache-2.0
#include "engine/value/json_plain.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <system_error>
#include <utility>

#include "engine/base/limits.hpp"
#include "engine/base/printable.hpp"
#include "engine/value/plain_bytes.hpp"

namespace fabric {

namespace {

// A text of fewer bytes than this for each of its values is not the ordinary one: how much memory
// it may take is for the other parser to judge.
constexpr std::size_t kBytesPerValue = 4;
constexpr std::size_t kValuesFree = 1'000;

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

void append_utf8(std::string& text, std::uint32_t code) {
  const auto byte = [&text](std::uint32_t bits) {
    text += static_cast<char>(bits);
  };
  const auto follows = [&byte](std::uint32_t bits) {
    byte(0x80U | (bits & 0x3fU));
  };
  if (code < 0x80) {
    byte(code);
  } else if (code < 0x800) {
    byte(0xc0U | (code >> 6U));
    follows(code);
  } else if (code < 0x10000) {
    byte(0xe0U | (code >> 12U));
    follows(code >> 6U);
    follows(code);
  } else {
    byte(0xf0U | (code >> 18U));
    follows(code >> 12U);
    follows(code >> 6U);
    follows(code);
  }
}

}  // namespace

PlainJson::PlainJson(std::string_view text)
    : next_{text.data()},
      end_{text.data() + text.size()},
      values_left_{text.size() / kBytesPerValue + kValuesFree} {}

bool PlainJson::take(char c) {
  if (next_ == end_ || *next_ != c) return false;
  ++next_;
  return true;
}

void PlainJson::skip_blanks() {
  while (next_ != end_ && (*next_ == ' ' || *next_ == '\n' || *next_ == '\r' || *next_ == '\t'))
    ++next_;
}

bool PlainJson::word(std::string_view expected) {
  const std::string_view rest{next_, static_cast<std::size_t>(end_ - next_)};
  if (!rest.starts_with(expected)) return false;
  next_ += expected.size();
  return true;
}

// NOLINTNEXTLINE(misc-no-recursion): no deeper than limits::kNestingDepth
bool PlainJson::value(Value& made, int depth) {
  skip_blanks();
  if (next_ == end_ || values_left_-- == 0) return false;
  switch (*next_) {
    case '{':
      return object(made, depth);
    case '[':
      return list(made, depth);
    case '"': {
      std::string text;
      if (!string(text)) return false;
      made = Value{std::move(text)};
      return true;
    }
    case 't':
      made = Value{true};
      return word("true");
    case 'f':
      made = Value{false};
      return word("false");
    case 'n':
      made = Value{};
      return word("null");
    default:
      return number(made);
  }
}

// NOLINTNEXTLINE(misc-no-recursion): as above
bool PlainJson::object(Value& made, int depth) {
  if (depth >= limits::kNestingDepth) return false;
  ++next_;
  Map map;
  skip_blanks();
  bool more = !take('}');
  while (more) {
    skip_blanks();
    std::string key;
    if (next_ == end_ || *next_ != '"' || !string(key)) return false;
    skip_blanks();
    if (!take(':')) return false;
    skip_blanks();
    const std::size_t before = map.size();
    // Nearly always in order.
    const auto member = map.try_emplace(map.end(), std::move(key));
    if (map.size() == before || !value(member->second, depth + 1)) return false;
    skip_blanks();
    more = take(',');
    if (!more && !take('}')) return false;
  }
  made = Value{std::move(map)};
  return true;
}

// NOLINTNEXTLINE(misc-no-recursion): as above
bool PlainJson::list(Value& made, int depth) {
  if (depth >= limits::kNestingDepth) return false;
  ++next_;
  List items;
  skip_blanks();
  bool more = !take(']');
  while (more) {
    skip_blanks();
    if (!value(items.emplace_back(), depth + 1)) return false;
    skip_blanks();
    more = take(',');
    if (!more && !take(']')) return false;
  }
  // Most of a tree is small lists: half of what they have grown to would lie idle.
  items.shrink_to_fit();
  made = Value{std::move(items)};
  return true;
}

bool PlainJson::number(Value& made) {
  const char* const begin = next_;
  take('-');
  if (next_ == end_ || !is_digit(*next_)) return false;
  if (!take('0')) skip_digits();
  bool whole = true;
  if (take('.')) {
    whole = false;
    if (next_ == end_ || !is_digit(*next_)) return false;
    skip_digits();
  }
  if (take('e') || take('E')) {
    whole = false;
    if (!take('+')) take('-');
    if (next_ == end_ || !is_digit(*next_)) return false;
    skip_digits();
  }
  if (!whole) {
    double real = 0;
    if (std::from_chars(begin, next_, real).ec != std::errc{}) return false;
    made = Value{real};
    return true;
  }
  std::int64_t integer = 0;
  if (std::from_chars(begin, next_, integer).ec != std::errc{}) return false;
  made = Value{integer};
  return true;
}

void PlainJson::skip_digits() {
  while (next_ != end_ && is_digit(*next_))
    ++next_;
}

// The first quotation mark from `begin` on that no backslash belongs to; null if there is none.
const char* PlainJson::closing_mark(const char* begin) const {
  for (const char* from = begin; from != end_;) {
    const auto* const mark =
        static_cast<const char*>(std::memchr(from, '"', static_cast<std::size_t>(end_ - from)));
    if (mark == nullptr) return nullptr;
    const char* backslashes = mark;
    while (backslashes != begin && backslashes[-1] == '\\')
      --backslashes;
    if ((mark - backslashes) % 2 == 0) return mark;
    from = mark + 1;
  }
  return nullptr;
}

// From one quotation mark to behind the other.
bool PlainJson::string(std::string& text) {
  ++next_;
  const char* const begin = next_;
  // Finds the end first, so that the string grows only once.
  const char* const last = closing_mark(begin);
  if (last == nullptr) return false;
  text.reserve(static_cast<std::size_t>(last - begin));
  while (true) {
    const std::size_t plain = plain_bytes({next_, static_cast<std::size_t>(last - next_)});
    text.append(next_, plain);
    next_ += plain;
    if (next_ == last) {
      ++next_;
      return true;
    }
    if (*next_ == '\\' ? !escape(text) : !character(text)) return false;
  }
}

bool PlainJson::escape(std::string& text) {
  constexpr std::string_view kNames = "\"\\/bfnrt";
  constexpr std::string_view kMeant = "\"\\/\b\f\n\r\t";
  ++next_;
  const char name = *next_++;  // string() saw that it is there
  const std::size_t at = kNames.find(name);
  if (at != std::string_view::npos) {
    text += kMeant[at];
    return true;
  }
  return name == 'u' && code_point(text);
}

// Behind "\u": four digits, or a pair of surrogates.
bool PlainJson::code_point(std::string& text) {
  constexpr std::uint32_t kHalf = 0xd800;
  constexpr std::uint32_t kSecondHalf = 0xdc00;
  constexpr std::uint32_t kHalvesEnd = 0xe000;
  std::uint32_t code = 0;
  if (!code_unit(code)) return false;
  if (code >= kHalf && code < kHalvesEnd) {
    std::uint32_t second = 0;
    if (code >= kSecondHalf || !take('\\') || !take('u') || !code_unit(second)) return false;
    if (second < kSecondHalf || second >= kHalvesEnd) return false;
    code = 0x10000 + ((code - kHalf) << 10U) + (second - kSecondHalf);
  }
  append_utf8(text, code);
  return true;
}

bool PlainJson::code_unit(std::uint32_t& unit) {
  constexpr std::ptrdiff_t kDigits = 4;
  if (end_ - next_ < kDigits) return false;
  const auto read = std::from_chars(next_, next_ + kDigits, unit, 16);
  if (read.ec != std::errc{} || read.ptr != next_ + kDigits) return false;
  next_ += kDigits;
  return true;
}

// Reads a character that is neither printable ASCII nor escaped.
bool PlainJson::character(std::string& text) {
  if (static_cast<unsigned char>(*next_) < ' ') return false;
  const std::string_view rest{next_, static_cast<std::size_t>(end_ - next_)};
  const Character character = first_character(rest);
  if (!character.is_valid) return false;
  text.append(rest.substr(0, character.length));
  next_ += character.length;
  return true;
}

bool PlainJson::object(const std::function<bool(std::string& key)>& member) {
  skip_blanks();
  if (depth_ >= limits::kNestingDepth || !take('{')) return false;
  ++depth_;
  skip_blanks();
  for (bool more = !take('}'); more;) {
    std::string key;
    skip_blanks();
    if (next_ == end_ || *next_ != '"' || !string(key)) return false;
    skip_blanks();
    if (!take(':') || !member(key)) return false;
    skip_blanks();
    more = take(',');
    if (!more && !take('}')) return false;
  }
  --depth_;
  return true;
}

bool PlainJson::string(std::string& text, std::string_view& written) {
  skip_blanks();
  const char* const begin = next_;
  if (next_ == end_ || *next_ != '"' || !string(text)) return false;
  written = {begin, static_cast<std::size_t>(next_ - begin)};
  return true;
}

bool PlainJson::pass(std::string_view written) {
  skip_blanks();
  return word(written);
}

bool PlainJson::end() {
  skip_blanks();
  return next_ == end_;
}

std::optional<Value> read_plain_json(std::string_view text) {
  PlainJson json{text};
  Value root;
  if (!json.value(root) || !json.end()) return std::nullopt;
  return root;
}

}  // namespace fabric
