// SPDX-License-Identifier: Apache-2.0
// Makes text of nodes, documents and files safe to show: no part of it moves a cursor, colours,
// turns the direction of reading, hides, ends a line, or is a command to a CI system.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace fabric {

// The character at the start of a text (Unicode 3.9, table 3-7). A byte that begins no well-formed
// character counts alone: `length` is 1 and `is_valid` false.
struct Character {
  std::uint32_t code = 0;
  std::size_t length = 1;  // bytes
  bool is_valid = false;
};
// REQUIRES: `text` is not empty.
Character first_character(std::string_view text);

// True for control characters (also of U+0080 to U+009F), line ends of Unicode, characters that
// turn the direction of reading (CVE-2021-42574), and those without width.
bool is_deceptive(std::uint32_t code);

// True if no character is deceptive or malformed: the text can be a line of a file, or a part of
// one.
bool is_one_line(std::string_view text);

// True if GitHub, Azure or TeamCity takes the start of the text for a command anywhere in a line of
// a log: "##[error]", "##vso[", "##teamcity[".
bool begins_log_command(std::string_view text);

// The text in one line: every deceptive character and every bad byte is written out ("\n", "\x1b",
// "\u202e", "\xff"), a tab becomes a blank. Words that GitHub, Azure and TeamCity take for a
// command in a log ("::error::" at the begin of a word after any blank, "##[error]", "##vso[")
// begin with "\x3a" or "\x23".
std::string printable(std::string_view text);

// As printable(), for a document of several lines with escapes of its own: line ends and tabs stay,
// all other deceptive characters and commands to a CI system at the begin of a line do not.
std::string printable_lines(std::string_view text);

}  // namespace fabric
