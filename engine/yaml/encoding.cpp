// SPDX-License-Identifier: Apache-2.0
#include "engine/yaml/encoding.hpp"

#include <fmt/format.h>

namespace fabric::yaml {

namespace {

std::uint32_t byte_at(std::string_view text, std::size_t at) {
  return static_cast<unsigned char>(text[at]);
}

bool is_control(std::uint32_t byte) {
  return (byte < 0x20 && byte != '\t' && byte != '\n' && byte != '\r') || byte == 0x7f;
}

// The length of the UTF-8 sequence that begins here, 0 if it is none: overlong forms, surrogates
// and what lies beyond U+10FFFF are none.
std::size_t sequence_length(std::string_view text, std::size_t at) {
  const std::uint32_t lead = byte_at(text, at);
  std::size_t length = 0;
  if (lead < 0x80) return 1;
  if (lead >= 0xc2 && lead <= 0xdf) length = 2;
  if (lead >= 0xe0 && lead <= 0xef) length = 3;
  if (lead >= 0xf0 && lead <= 0xf4) length = 4;
  if (length == 0 || at + length > text.size()) return 0;
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte_at(text, at + i) & 0xc0U) != 0x80) return 0;
  }
  const std::uint32_t second = byte_at(text, at + 1);
  const bool wrong = (lead == 0xe0 && second < 0xa0) || (lead == 0xed && second > 0x9f) ||
                     (lead == 0xf0 && second < 0x90) || (lead == 0xf4 && second > 0x8f);
  return wrong ? 0 : length;
}

}  // namespace

std::optional<BadBytes> find_bad_bytes(std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t length = sequence_length(text, at);
    const auto place = static_cast<std::uint32_t>(at);
    if (length == 0) {
      return BadBytes{
          place, place + 1, fmt::format("byte 0x{:02x} is not UTF-8", byte_at(text, at))};
    }
    if (is_control(byte_at(text, at))) {
      return BadBytes{
          place,
          place + 1,
          fmt::format("control character 0x{:02x} cannot stand in YAML", byte_at(text, at))};
    }
    at += length;
  }
  return std::nullopt;
}

}  // namespace fabric::yaml
