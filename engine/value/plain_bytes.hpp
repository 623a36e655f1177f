// SPDX-License-Identifier: Apache-2.0
// Plain bytes, which need no escape in a string of JSON: printable ASCII without the quotation mark
// and the backslash. Nearly all output of machines is of these.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace fabric {

inline bool is_plain_byte(char c) {
  return c >= ' ' && c <= '~' && c != '"' && c != '\\';
}

// Eight bytes compared at once, the first is the lowest. A byte below N sets the highest bit of its
// byte in `(word - N) & ~word` (for N up to 128), and a byte equal to C is below 1 in `word ^ C`;
// borrows of the subtraction affect only higher bytes, which come later.
class EightBytes {
 public:
  static constexpr std::size_t kCount = sizeof(std::uint64_t);
  static constexpr bool kAreInOrder = std::endian::native == std::endian::little;

  explicit EightBytes(const char* at) { std::memcpy(&word_, at, kCount); }
  // Loads only `count` bytes, 1 to 7; zeros follow them.
  EightBytes(const char* at, std::size_t count) {
    const auto load = [at]<class Word>(Word word, std::size_t from) {
      std::memcpy(&word, at + from, sizeof word);
      return std::uint64_t{word} << (8 * from);
    };
    // Loads from both ends; the two parts may overlap.
    if (count >= sizeof(std::uint32_t)) {
      word_ = load(std::uint32_t{}, 0) | load(std::uint32_t{}, count - sizeof(std::uint32_t));
    } else if (count >= sizeof(std::uint16_t)) {
      word_ = load(std::uint16_t{}, 0) | load(std::uint16_t{}, count - sizeof(std::uint16_t));
    } else {
      word_ = load(std::uint8_t{}, 0);
    }
  }

  void store(char* to) const { std::memcpy(to, &word_, kCount); }
  // The number of plain bytes before the first other one.
  std::size_t plain() const {
    const std::uint64_t others =
        (below(word_, ' ') | equal('"') | equal('\\') | equal('\x7f') | word_) & kHighest;
    return others == 0 ? kCount : static_cast<std::size_t>(std::countr_zero(others)) / 8;
  }
  // Never false if one of the bytes is `c`.
  bool may_hold(char c) const { return (equal(c) & kHighest) != 0; }

 private:
  static constexpr std::uint64_t kOnes = 0x0101010101010101U;
  static constexpr std::uint64_t kHighest = 0x8080808080808080U;

  static std::uint64_t below(std::uint64_t in, std::uint64_t limit) {
    return (in - kOnes * limit) & ~in;
  }
  std::uint64_t equal(char c) const {
    return below(word_ ^ (kOnes * static_cast<unsigned char>(c)), 1);
  }

  std::uint64_t word_ = 0;
};

// The number of plain bytes before the first other one.
inline std::size_t plain_bytes(std::string_view text) {
  std::size_t count = 0;
  if constexpr (EightBytes::kAreInOrder) {
    for (; text.size() - count >= EightBytes::kCount; count += EightBytes::kCount) {
      const std::size_t plain = EightBytes{text.data() + count}.plain();
      if (plain != EightBytes::kCount) return count + plain;
    }
  }
  while (count < text.size() && is_plain_byte(text[count]))
    ++count;
  return count;
}

// As plain_bytes(), and copies them to `to`, which has room for `text` and seven bytes more.
// `is_marked` becomes true if `mark` is among them, and may become so if it is not.
inline std::size_t copy_plain_bytes(std::string_view text, char* to, char mark, bool& is_marked) {
  std::size_t count = 0;
  if constexpr (EightBytes::kAreInOrder) {
    const auto copy = [&](const EightBytes& bytes) {
      bytes.store(to + count);
      is_marked = is_marked || bytes.may_hold(mark);
      return bytes.plain();
    };
    for (; text.size() - count >= EightBytes::kCount; count += EightBytes::kCount) {
      const std::size_t plain = copy(EightBytes{text.data() + count});
      if (plain != EightBytes::kCount) return count + plain;
    }
    const std::size_t rest = text.size() - count;
    return rest == 0 ? count : count + copy(EightBytes{text.data() + count, rest});
  }
  for (; count < text.size() && is_plain_byte(text[count]); ++count) {
    to[count] = text[count];
    is_marked = is_marked || text[count] == mark;
  }
  return count;
}

}  // namespace fabric
