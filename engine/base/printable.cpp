// SPDX-License-Identifier: Apache-2.0
#include "engine/base/printable.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

namespace fabric {

namespace {

struct CodeRange {
  std::uint32_t first = 0;
  std::uint32_t last = 0;
};

// Ascending. Categories Cc, Zl, Zp and Cf, the fillers of Hangul, and what is no character.
constexpr std::array kDeceptive{
    CodeRange{0x00, 0x1f},       CodeRange{0x7f, 0x9f},
    CodeRange{0xad, 0xad},      // soft hyphen
    CodeRange{0x34f, 0x34f},    // combining grapheme joiner
    CodeRange{0x61c, 0x61c},    // Arabic letter mark
    CodeRange{0x115f, 0x1160},  // fillers of Hangul
    CodeRange{0x17b4, 0x17b5},   CodeRange{0x180b, 0x180f},
    CodeRange{0x200b, 0x200f},  // no width; marks of direction
    CodeRange{0x2028, 0x202e},  // ends of lines and paragraphs; embeddings and overrides
    CodeRange{0x2060, 0x206f},  // word joiner, isolates
    CodeRange{0x3164, 0x3164},   CodeRange{0xfe00, 0xfe0f},  // variation selectors
    CodeRange{0xfeff, 0xfeff},                               // byte order mark
    CodeRange{0xffa0, 0xffa0},   CodeRange{0xfff0, 0xfffb},
    CodeRange{0xfffe, 0xffff},   CodeRange{0x1bca0, 0x1bca3},
    CodeRange{0x1d173, 0x1d17a}, CodeRange{0xe0000, 0xe0fff}};  // tags

bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

// The number of letters and '-' at the begin of the text.
std::size_t word_length(std::string_view text) {
  const auto end = std::ranges::find_if(text, [](char c) { return !is_letter(c) && c != '-'; });
  return static_cast<std::size_t>(end - text.begin());
}

// "::error::", "::group ...": where a line begins, and any word may come to stand there.
bool begins_colon_command(std::string_view text) {
  if (!text.starts_with("::")) return false;
  text.remove_prefix(2);
  const std::size_t word = word_length(text);
  const std::string_view rest = text.substr(word);
  // "::ffff" and "::beef" are addresses.
  constexpr std::size_t kLongestGroup = 4;
  const bool is_name =
      text.substr(0, word).find_first_not_of("0123456789abcdefABCDEF") != std::string_view::npos ||
      word > kLongestGroup;
  return is_name && (rest.starts_with(' ') || rest.starts_with("::"));
}

// True for a visible ASCII character. A word begins behind any other one: a CI system removes every
// blank of Unicode before it looks for a command, and its comparison may skip characters without
// width.
bool is_visible_ascii(char byte) {
  return byte > ' ' && byte <= '~';
}

void append_escaped(std::string& shown, const Character& character, char byte) {
  if (!character.is_valid) {
    shown += fmt::format("\\x{:02x}", static_cast<std::uint8_t>(byte));
    return;
  }
  constexpr std::uint32_t kAscii = 0x80;
  constexpr std::uint32_t kBasicPlane = 0x10000;
  if (byte == '\n') {
    shown += "\\n";
  } else if (byte == '\r') {
    shown += "\\r";
  } else if (character.code < kAscii) {
    shown += fmt::format("\\x{:02x}", character.code);
  } else if (character.code < kBasicPlane) {
    shown += fmt::format("\\u{:04x}", character.code);
  } else {
    shown += fmt::format("\\U{:08x}", character.code);
  }
}

// Nearly all text, which is taken over as it is.
bool is_plain(std::string_view text) {
  return std::ranges::all_of(text, [](char c) {
    constexpr char kLast = '~';
    return c >= ' ' && c <= kLast && c != ':' && c != '#';
  });
}

}  // namespace

Character first_character(std::string_view text) {
  const auto byte = [text](std::size_t at) -> std::uint32_t {
    return static_cast<std::uint8_t>(text[at]);
  };
  const std::uint32_t lead = byte(0);
  if (lead < 0x80) return {lead, 1, true};
  const Character bad{lead, 1, false};
  std::size_t length = 0;
  std::uint32_t lowest = 0x80;
  std::uint32_t highest = 0xbf;
  if (lead >= 0xc2 && lead <= 0xdf) length = 2;
  if (lead >= 0xe0 && lead <= 0xef) length = 3;
  if (lead >= 0xf0 && lead <= 0xf4) length = 4;
  if (lead == 0xe0) lowest = 0xa0;   // overlong
  if (lead == 0xed) highest = 0x9f;  // surrogates
  if (lead == 0xf0) lowest = 0x90;   // overlong
  if (lead == 0xf4) highest = 0x8f;  // beyond U+10FFFF
  if (length == 0 || text.size() < length || byte(1) < lowest || byte(1) > highest) return bad;
  std::uint32_t code = lead & (0x7fU >> length);
  for (std::size_t at = 1; at < length; ++at) {
    if ((byte(at) & 0xc0U) != 0x80U) return bad;
    code = (code << 6U) | (byte(at) & 0x3fU);
  }
  return {code, length, true};
}

bool is_deceptive(std::uint32_t code) {
  if (code >= ' ' && code <= '~') return false;  // nearly all of every text
  const auto range = std::lower_bound(
      kDeceptive.begin(), kDeceptive.end(), code, [](const CodeRange& each, std::uint32_t wanted) {
        return each.last < wanted;
      });
  return range != kDeceptive.end() && range->first <= code;
}

bool is_one_line(std::string_view text) {
  while (!text.empty()) {
    const Character character = first_character(text);
    if (!character.is_valid || is_deceptive(character.code)) return false;
    text.remove_prefix(character.length);
  }
  return true;
}

bool begins_log_command(std::string_view text) {
  if (!text.starts_with("##")) return false;
  text.remove_prefix(2);
  return text.substr(word_length(text)).starts_with('[');
}

std::string printable(std::string_view text) {
  if (is_plain(text)) return std::string{text};
  std::string shown;
  bool begins_word = true;
  while (!text.empty()) {
    const Character character = first_character(text);
    const char byte = text.front();
    if (byte == '\t') {
      shown += ' ';
    } else if (!character.is_valid || is_deceptive(character.code)) {
      append_escaped(shown, character, byte);
    } else if (begins_word && begins_colon_command(text)) {
      shown += "\\x3a";
    } else if (begins_log_command(text)) {
      shown += "\\x23";
    } else {
      shown += text.substr(0, character.length);
    }
    begins_word = !is_visible_ascii(byte);
    text.remove_prefix(character.length);
  }
  return shown;
}

std::string printable_lines(std::string_view text) {
  std::string shown;
  shown.reserve(text.size());
  bool begins_line = true;
  while (!text.empty()) {
    // Characters that need no escape and begin nothing are nearly all of every document.
    const auto other = std::ranges::find_if(text, [&begins_line](char c) {
      return c < ' ' || c > '~' || c == '#' || (begins_line && c != ' ');
    });
    const auto length = static_cast<std::size_t>(other - text.begin());
    shown += text.substr(0, length);
    text.remove_prefix(length);
    if (text.empty()) break;
    const Character character = first_character(text);
    const char byte = text.front();
    const bool stays = byte == '\n' || byte == '\t';
    if (!stays && (!character.is_valid || is_deceptive(character.code))) {
      append_escaped(shown, character, byte);
    } else if (begins_line && begins_colon_command(text)) {
      shown += "\\x3a";
    } else if (begins_log_command(text)) {
      shown += "\\x23";
    } else {
      shown += text.substr(0, character.length);
    }
    begins_line = byte == '\n' || (begins_line && !is_visible_ascii(byte));
    text.remove_prefix(character.length);
  }
  return shown;
}

}  // namespace fabric
