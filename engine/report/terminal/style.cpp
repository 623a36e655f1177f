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

}  // namespace

std::string paint(const Style& style, Colour colour, std::string_view text) {
  if (!style.colour || colour == Colour::none || text.empty()) return std::string{text};
  return fmt::format("{0}[{1}m{2}{0}[0m", kEscape, code(colour), text);
}

std::size_t columns(std::string_view text) {
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

std::string pad(std::string_view text, std::size_t width) {
  std::string padded{text};
  const std::size_t has = columns(text);
  if (has < width) padded.append(width - has, ' ');
  return padded;
}

std::string count(std::size_t number, std::string_view singular) {
  return fmt::format("{} {}{}", number, singular, number == 1 ? "" : "s");
}

std::string count(std::size_t number, std::string_view singular, std::string_view plural) {
  return fmt::format("{} {}", number, number == 1 ? singular : plural);
}

std::string wrap(std::string_view text, std::size_t width, std::size_t indent) {
  std::string wrapped;
  std::size_t used = 0;
  for (const std::string_view word : split_words(text)) {
    const std::size_t needs = columns(word);
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
  return wrapped;
}

std::string hang(std::string_view text, std::size_t width, std::size_t column) {
  std::string hung = wrap(text, width > column ? width - column : 1, 0);
  for (std::size_t at = hung.find('\n'); at != std::string::npos; at = hung.find('\n', at + 1)) {
    hung.insert(at + 1, std::string(column, ' '));
  }
  return hung;
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
