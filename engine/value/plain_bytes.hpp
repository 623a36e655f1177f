// SPDX-License-Identifier: Apache-2.0
// Bytes that stand for themselves in a string of JSON: printable ASCII, but for the quotation mark
// and the backslash. Nearly all of what machines say is of them.
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

// How many there are before the first other one, eight looked at together. A byte below N shows in
// `(word - N) & ~word` at its highest bit (for N up to 128), and one that is equal to C is below 1
// in `word ^ C`; what the subtraction borrows reaches higher bytes alone, which come later.
inline std::size_t plain_bytes(std::string_view text) {
  constexpr std::uint64_t kOnes = 0x0101010101010101U;
  constexpr std::uint64_t kHighest = 0x8080808080808080U;
  const auto below = [](std::uint64_t in, std::uint64_t limit) {
    return (in - kOnes * limit) & ~in;
  };
  std::size_t count = 0;
  if constexpr (std::endian::native == std::endian::little) {
    for (; text.size() - count >= sizeof(std::uint64_t); count += sizeof(std::uint64_t)) {
      std::uint64_t word = 0;
      std::memcpy(&word, text.data() + count, sizeof word);
      const std::uint64_t others =
          (below(word, ' ') | below(word ^ (kOnes * '"'), 1) | below(word ^ (kOnes * '\\'), 1) |
           below(word ^ (kOnes * '\x7f'), 1) | word) &
          kHighest;
      if (others != 0) return count + static_cast<std::size_t>(std::countr_zero(others)) / 8;
    }
  }
  while (count < text.size() && is_plain_byte(text[count]))
    ++count;
  return count;
}

}  // namespace fabric
