// SPDX-License-Identifier: Apache-2.0
// Style: colour, width and the symbols of a plan in texts for people.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "engine/provider/change.hpp"
#include "engine/report/terminal/text.hpp"

namespace fabric::report {

enum class Colour : std::uint8_t { none, bold, dim, red, green, yellow, cyan };

struct Style {
  bool colour = false;     // only ever true for a terminal
  std::size_t width = 80;  // columns
  bool verbose = false;
};

// The text in the colour, or unchanged if the style has no colours.
Text paint(const Style& style, Colour colour, const Text& text);

// The width of the text in columns: its characters without escape sequences.
std::size_t columns(const Text& text);
// Padded with blanks to `width` columns; longer texts stay whole.
Text pad(const Text& text, std::size_t width);
// "3 reboots", "1 reboot"
std::string count(std::size_t number, std::string_view singular);
std::string count(std::size_t number, std::string_view singular, std::string_view plural);

// Lines of at most `width` columns, broken at blanks, every line after the first indented by
// `indent`. Words longer than a line stay whole (paths, commands).
Text wrap(const Text& text, std::size_t width, std::size_t indent);

// For text that starts in a column: later lines start in that column too, and none goes beyond
// `width`.
Text hang(const Text& text, std::size_t width, std::size_t column);
// Indents every line after the first to this column.
Text indent_lines(const Text& text, std::size_t column);

// At most `width` columns: a longer text ends with "...". REQUIRES: without colours.
Text shorten(const Text& text, std::size_t width);
// The columns [begin, end). REQUIRES: without colours.
Text cut_out(const Text& text, std::size_t begin, std::size_t end);
// The column after the last character of the last line.
std::size_t last_column(const Text& text);

// The mark of a change: "+ ", "~ ", "!~", "- ", "? ".
struct Symbol {
  std::string_view text;
  Colour colour = Colour::none;
  std::string_view meaning;
};
// `reboots`: the change needs a reboot to become effective.
Symbol symbol(ChangeKind kind, bool reboots);

}  // namespace fabric::report
