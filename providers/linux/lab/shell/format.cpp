// SPDX-License-Identifier: Apache-2.0
#include "providers/linux/lab/shell/format.hpp"

#include <cctype>
#include <cstdint>
#include <optional>

#include <fmt/format.h>
#include <fmt/printf.h>

#include "engine/base/text.hpp"

namespace fabric::lab {
namespace {

bool is_octal(char c) {
  return c >= '0' && c <= '7';
}

// One escape at `at` (behind the backslash); moves `at` behind it.
std::string escape(std::string_view text, std::size_t& at, bool& stopped) {
  const char c = text[at++];
  switch (c) {
    case 'n':
      return "\n";
    case 't':
      return "\t";
    case 'r':
      return "\r";
    case 'a':
      return "\a";
    case 'b':
      return "\b";
    case 'f':
      return "\f";
    case 'v':
      return "\v";
    case '\\':
      return "\\";
    case '"':
      return "\"";
    case 'c':
      stopped = true;
      return "";
    default:
      break;
  }
  if (!is_octal(c)) return std::string{"\\"} + c;
  unsigned value = static_cast<unsigned>(c - '0');
  const int most = c == '0' ? 3 : 2;
  for (int digits = 0; digits < most && at < text.size() && is_octal(text[at]); ++digits) {
    value = value * 8 + static_cast<unsigned>(text[at++] - '0');
  }
  return std::string(1, static_cast<char>(value & 0xFFU));
}

std::int64_t number_of(const std::string& text, std::string& problem) {
  const std::string_view trimmed = trim(text);
  if (trimmed.empty()) return 0;
  if (trimmed.front() == '\'' || trimmed.front() == '"') {
    return trimmed.size() > 1 ? static_cast<unsigned char>(trimmed[1]) : 0;
  }
  if (trimmed.size() > 2 && trimmed.substr(0, 2) == "0x") {
    return static_cast<std::int64_t>(parse_unsigned(trimmed.substr(2), 16).value_or(0));
  }
  if (trimmed.size() > 1 && trimmed.front() == '0') {
    return static_cast<std::int64_t>(parse_unsigned(trimmed.substr(1), 8).value_or(0));
  }
  const std::optional<std::int64_t> value = parse_integer(trimmed);
  if (!value) problem = text + ": expected numeric value";
  return value.value_or(0);
}

class Printf {
 public:
  Printf(std::string_view format, const std::vector<std::string>& arguments, std::string& problem)
      : format_{format}, arguments_{arguments}, problem_{problem} {}

  std::string run() {
    std::string result;
    do {
      const std::size_t before = next_;
      result += once();
      if (next_ == before) break;
    } while (next_ < arguments_.size() && !stopped_);
    return result;
  }

 private:
  std::string once() {
    std::string result;
    for (std::size_t at = 0; at < format_.size() && !stopped_;) {
      if (format_[at] == '\\' && at + 1 < format_.size()) {
        ++at;
        result += escape(format_, at, stopped_);
      } else if (format_[at] == '%' && at + 1 < format_.size()) {
        result += conversion(at);
      } else {
        result += format_[at++];
      }
    }
    return result;
  }

  std::string next() { return next_ < arguments_.size() ? arguments_[next_++] : (++next_, ""); }

  std::string conversion(std::size_t& at) {
    std::string flags = "%";
    ++at;
    if (format_[at] == '%') {
      ++at;
      return "%";
    }
    while (at < format_.size() &&
           std::string_view{"-+ #0123456789.*"}.find(format_[at]) != std::string_view::npos) {
      if (format_[at] == '*') {
        flags += std::to_string(number_of(next(), problem_));
      } else {
        flags += format_[at];
      }
      ++at;
    }
    if (at >= format_.size()) return flags;
    const char kind = format_[at++];
    if (kind == 's') return fmt::sprintf(flags + "s", next());
    if (kind == 'b') {
      return fmt::sprintf(flags + "s", unescape_echo(next(), stopped_));
    }
    if (kind == 'c') return next().substr(0, 1);
    if (kind == 'd' || kind == 'i') return fmt::sprintf(flags + "d", number_of(next(), problem_));
    if (std::string_view{"uxXo"}.find(kind) != std::string_view::npos) {
      return fmt::sprintf(flags + kind, static_cast<std::uint64_t>(number_of(next(), problem_)));
    }
    problem_ = std::string{"%"} + kind + ": invalid directive";
    return "";
  }

  std::string_view format_;
  const std::vector<std::string>& arguments_;
  std::string& problem_;
  std::size_t next_ = 0;
  bool stopped_ = false;
};

}  // namespace

std::string format_printf(
    std::string_view format, const std::vector<std::string>& arguments, std::string& problem) {
  return Printf{format, arguments, problem}.run();
}

std::string unescape_echo(std::string_view text, bool& stopped) {
  std::string result;
  for (std::size_t at = 0; at < text.size() && !stopped;) {
    if (text[at] == '\\' && at + 1 < text.size()) {
      ++at;
      result += escape(text, at, stopped);
    } else {
      result += text[at++];
    }
  }
  return result;
}

}  // namespace fabric::lab
