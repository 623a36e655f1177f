// SPDX-License-Identifier: Apache-2.0
#include "engine/platform/utf8.hpp"

#include <algorithm>
#include <cstdint>

namespace fabric::platform {

namespace {

// Bytes of the well-formed character at the start of `text`; 0 if there is none (Unicode 3.9, table
// 3-7).
std::size_t character_length(std::string_view text) {
  const auto byte = [text](std::size_t at) {
    return static_cast<std::uint8_t>(text[at]);
  };
  const std::uint8_t lead = byte(0);
  if (lead < 0x80) return 1;
  std::size_t length = 0;
  std::uint8_t lowest = 0x80;
  std::uint8_t highest = 0xBF;
  if (lead >= 0xC2 && lead <= 0xDF) length = 2;
  if (lead >= 0xE0 && lead <= 0xEF) length = 3;
  if (lead >= 0xF0 && lead <= 0xF4) length = 4;
  if (lead == 0xE0) lowest = 0xA0;   // overlong
  if (lead == 0xED) highest = 0x9F;  // surrogates
  if (lead == 0xF0) lowest = 0x90;   // overlong
  if (lead == 0xF4) highest = 0x8F;  // beyond U+10FFFF
  if (length == 0 || text.size() < length || byte(1) < lowest || byte(1) > highest) return 0;
  for (std::size_t at = 2; at < length; ++at) {
    if (byte(at) < 0x80 || byte(at) > 0xBF) return 0;
  }
  return length;
}

}  // namespace

std::string to_utf8(std::string_view text) {
  std::string clean;
  clean.reserve(text.size());
  while (!text.empty()) {
    // Nearly all of what tools print, in one piece.
    const auto wide = std::find_if(text.begin(), text.end(), [](char byte) {
      return static_cast<std::uint8_t>(byte) >= 0x80;
    });
    clean.append(text.begin(), wide);
    text.remove_prefix(static_cast<std::size_t>(wide - text.begin()));
    if (text.empty()) break;
    const std::size_t length = character_length(text);
    if (length == 0) {
      clean += "\xEF\xBF\xBD";
      text.remove_prefix(1);
    } else {
      clean += text.substr(0, length);
      text.remove_prefix(length);
    }
  }
  return clean;
}

}  // namespace fabric::platform
