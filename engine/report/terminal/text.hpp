// SPDX-License-Identifier: Apache-2.0
// Text: the only type that is written to a terminal. Literals of this program are kept as they are;
// every other text is made printable when a Text is made of it, so that no text of a node, a
// document or a file can control the terminal or forge a line. Code that writes to a terminal takes
// a Text.
#pragma once

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>

#include "engine/base/printable.hpp"

namespace fabric::report {

class Argument;

class Text {
 public:
  Text() = default;
  // A literal of this program, which may have line ends.
  template <std::size_t size>
  // NOLINTNEXTLINE(google-explicit-constructor): a literal is a text of ours
  Text(const char (&literal)[size]) : shown_{literal, size - 1} {}
  // Data: one line, made printable.
  template <class Data>
  requires(std::convertible_to<const Data&, std::string_view> && !std::is_array_v<Data>)
      // NOLINTNEXTLINE(google-explicit-constructor): every way in is safe
      Text(const Data& data)
      : shown_{printable(std::string_view{data})} {}

  // A document of several lines (JSON, XML): its line ends and tabs stay.
  static Text document(std::string_view text) { return made(printable_lines(text)); }
  static Text blanks(std::size_t columns) { return made(std::string(columns, ' ')); }
  // `count` times a mark: '^', '#'.
  static Text repeated(std::size_t count, char mark) { return made(std::string(count, mark)); }

  const std::string& str() const { return shown_; }
  bool empty() const { return shown_.empty(); }

  Text& operator+=(const Text& other) {
    shown_ += other.shown_;
    return *this;
  }
  friend Text operator+(Text a, const Text& b) { return std::move(a += b); }
  friend bool operator==(const Text& a, const Text& b) { return a.shown_ == b.shown_; }

 private:
  friend Text compose_text(std::string_view format, std::span<const Argument> arguments);
  friend class Layout;

  // REQUIRES: `shown` consists of parts of texts.
  static Text made(std::string shown) {
    Text text;
    text.shown_ = std::move(shown);
    return text;
  }

  std::string shown_;
};

// An argument for `{}` in a format: a text, data, which is made printable, or a number.
class Argument {
 public:
  template <class Value>
  explicit Argument(const Value& value) : value_{kept(value)} {}

  const std::variant<std::string, std::int64_t, std::uint64_t, double>& value() const {
    return value_;
  }

 private:
  template <class Value>
  static auto kept(const Value& value) {
    static_assert(!std::same_as<Value, bool> && !std::same_as<Value, char>);
    if constexpr (std::floating_point<Value>) {
      return double{value};
    } else if constexpr (std::unsigned_integral<Value>) {
      return std::uint64_t{value};
    } else if constexpr (std::signed_integral<Value>) {
      return std::int64_t{value};
    } else {
      return Text{value}.str();
    }
  }

  std::variant<std::string, std::int64_t, std::uint64_t, double> value_;
};

// A literal format for this number of arguments, which the compiler checks.
template <class... Args>
class TextFormat {
 public:
  template <std::size_t size>
  // NOLINTNEXTLINE(google-explicit-constructor): as fmt's own
  consteval TextFormat(const char (&literal)[size]) : text_{literal, size - 1} {
    // NOLINTNEXTLINE(hicpp-exception-baseclass): the compiler's message, never thrown
    if (arguments_of(text_) != sizeof...(Args)) throw "the format has another number of arguments";
  }
  constexpr std::string_view text() const { return text_; }

 private:
  // The number of arguments of a format: "{}", "{:<{}}", "{0}"; "{{" is a brace.
  static constexpr std::size_t arguments_of(std::string_view format) {
    std::size_t counted = 0;
    std::size_t numbered = 0;
    for (std::size_t at = 0; at < format.size(); ++at) {
      if (format[at] != '{') continue;
      const char next = format[at + 1];
      if (next == '{') {
        ++at;
      } else if (next >= '0' && next <= '9') {
        numbered = std::max(numbered, static_cast<std::size_t>(next - '0') + 1);
      } else {
        ++counted;
      }
    }
    return counted + numbered;
  }

  std::string_view text_;
};

Text compose_text(std::string_view format, std::span<const Argument> arguments);

// fmt::format for a terminal.
template <class... Args>
Text compose(TextFormat<std::type_identity_t<Args>...> format, const Args&... arguments) {
  const std::array<Argument, sizeof...(Args)> all{Argument{arguments}...};
  return compose_text(format.text(), all);
}

// "a, b, c": for texts or data.
template <class Parts>
Text join_texts(const Parts& parts, const Text& separator) {
  Text all;
  bool is_first = true;
  for (const auto& part : parts) {
    if (!is_first) all += separator;
    all += part;
    is_first = false;
  }
  return all;
}

}  // namespace fabric::report
