// SPDX-License-Identifier: Apache-2.0
#include "engine/report/terminal/style.hpp"

#include <fmt/format.h>

#include "engine/base/text.hpp"

namespace fabric::report {

namespace {

constexpr char kEscape = '\x1b';

std::string_view code(Colour colour) {
  switch (colour) {
    case Colour::none:
      return "";
    case Colour::bold:
      return "1";
    case Colour::dim:
      return "2";
    case Colour::red:
      return "31";
    case Colour::green:
      return "32";
    case Colour::yellow:
      return "33";
    case Colour::cyan:
      return "36";
  }
  return "";
}

std::size_t columns_of(std::string_view text) {
  std::size_t width = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == kEscape) {
      const std::size_t end = text.find('m', i);
      if (end == std::string_view::npos) return width;
      i = end;
    } else if ((static_cast<unsigned char>(text[i]) & 0xC0U) != 0x80U) {
      ++width;
    }
  }
  return width;
}

// The byte offset of the character that has `number` characters before it.
std::size_t offset_of(std::string_view text, std::size_t number) {
  std::size_t at = 0;
  for (; at < text.size(); ++at) {
    // Continuation bytes belong to the one before.
    const bool starts = (static_cast<unsigned char>(text[at]) & 0xC0U) != 0x80U;
    if (starts && number-- == 0) break;
  }
  return at;
}

}  // namespace

// Lays out a text that is printable already.
class Layout {
 public:
  static Text of(std::string shown) { return Text::made(std::move(shown)); }
};

Text paint(const Style& style, Colour colour, const Text& text) {
  if (!style.colour || colour == Colour::none || text.empty()) return text;
  return Layout::of(fmt::format("{0}[{1}m{2}{0}[0m", kEscape, code(colour), text.str()));
}

std::size_t columns(const Text& text) {
  return columns_of(text.str());
}

Text pad(const Text& text, std::size_t width) {
  const std::size_t has = columns(text);
  return has < width ? text + Text::blanks(width - has) : text;
}

std::string count(std::size_t number, std::string_view singular) {
  return fmt::format("{} {}{}", number, singular, number == 1 ? "" : "s");
}

std::string count(std::size_t number, std::string_view singular, std::string_view plural) {
  return fmt::format("{} {}", number, number == 1 ? singular : plural);
}

Text wrap(const Text& text, std::size_t width, std::size_t indent) {
  std::string wrapped;
  std::size_t used = 0;
  for (const std::string_view word : split_words(text.str())) {
    const std::size_t needs = columns_of(word);
    if (used != 0 && used + 1 + needs > width) {
      wrapped += '\n' + std::string(indent, ' ');
      used = indent;
    } else if (used != 0) {
      wrapped += ' ';
      ++used;
    }
    wrapped += word;
    used += needs;
  }
  return Layout::of(std::move(wrapped));
}

Text hang(const Text& text, std::size_t width, std::size_t column) {
  return indent_lines(wrap(text, width > column ? width - column : 1, 0), column);
}

Text indent_lines(const Text& text, std::size_t column) {
  std::string lines;
  for (const char c : text.str()) {
    lines += c;
    if (c == '\n') lines.append(column, ' ');
  }
  return Layout::of(std::move(lines));
}

Text shorten(const Text& text, std::size_t width) {
  constexpr std::size_t kGap = 3;
  if (columns(text) <= width || width < kGap) return text;
  return cut_out(text, 0, width - kGap) + "...";
}

Text cut_out(const Text& text, std::size_t begin, std::size_t end) {
  const std::size_t first = offset_of(text.str(), begin);
  return Layout::of(text.str().substr(first, offset_of(text.str(), end) - first));
}

std::size_t last_column(const Text& text) {
  const std::size_t line_end = text.str().rfind('\n');
  return columns_of(
      std::string_view{text.str()}.substr(line_end == std::string::npos ? 0 : line_end + 1));
}

Symbol symbol(ChangeKind kind, bool reboots) {
  switch (kind) {
    case ChangeKind::add:
      if (reboots) return {"!+", Colour::green, "add, needs a reboot"};
      return {"+ ", Colour::green, "add"};
    case ChangeKind::update:
      if (reboots) return {"!~", Colour::yellow, "update, needs a reboot"};
      return {"~ ", Colour::yellow, "update"};
    case ChangeKind::remove:
      return {"- ", Colour::red, "remove"};
    case ChangeKind::unknown:
      return {"? ", Colour::cyan, "unknown"};
  }
  return {"? ", Colour::cyan, "unknown"};
}

}  // namespace fabric::report
