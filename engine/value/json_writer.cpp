// SPDX-License-Identifier: Apache-2.0
#include "engine/value/json_writer.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "engine/base/check.hpp"
#include "engine/base/overloaded.hpp"
#include "engine/base/printable.hpp"
#include "engine/value/plain_bytes.hpp"

namespace fabric {

namespace {

using nlohmann::json;

constexpr std::size_t kPieceBytes = std::size_t{64} * 1024;

std::string escaped(std::uint32_t code) {
  constexpr std::uint32_t kBasicPlane = 0x10000;
  if (code < kBasicPlane) return fmt::format("\\u{:04x}", code);
  // A pair of surrogates.
  const std::uint32_t rest = code - kBasicPlane;
  return fmt::format("\\u{:04x}\\u{:04x}", 0xd800 + (rest >> 10U), 0xdc00 + (rest & 0x3ffU));
}

// What may be shown on a terminal or in the log of a CI system: what could deceive there stands
// inside of strings alone, where its escape means the same.
std::string without_deception(std::string_view text) {
  std::string safe;
  safe.reserve(text.size());
  for (std::string_view rest = text; !rest.empty();) {
    const Character character = first_character(rest);
    if (is_deceptive(character.code) || begins_log_command(rest)) {
      safe += escaped(character.code);
    } else {
      safe += rest.substr(0, character.length);
    }
    rest.remove_prefix(character.length);
  }
  return safe;
}

bool holds_log_command(std::string_view text) {
  for (auto at = text.find("##"); at != std::string_view::npos; at = text.find("##", at + 1)) {
    if (begins_log_command(text.substr(at))) return true;
  }
  return false;
}

// What stands behind a backslash in its place; 0 = it has to be looked at with what is around it.
char short_escape(char c) {
  constexpr std::string_view kMeant = "\"\\\b\f\n\r\t";
  constexpr std::string_view kNames = "\"\\bfnrt";
  const std::size_t at = kMeant.find(c);
  return at == std::string_view::npos ? '\0' : kNames[at];
}

}  // namespace

JsonWriter::JsonWriter(JsonStyle style, Sink sink) : style_{style}, sink_{std::move(sink)} {}

void JsonWriter::pass_on() {
  sink_(waiting_);
  waiting_.clear();
}

void JsonWriter::separate() {
  if (std::exchange(behind_key_, false) || depth_ == 0) return;
  Open& open = open_[depth_ - 1];
  if (!std::exchange(open.is_empty, false)) waiting_ += ',';
  if (style_ == JsonStyle::pretty) {
    waiting_ += '\n';
    waiting_.append(2 * depth_, ' ');
  }
}

void JsonWriter::begin(char bracket) {
  separate();
  waiting_ += bracket;
  // Levels are used again: their keys keep their memory.
  if (open_.size() == depth_) open_.emplace_back();
  open_[depth_].is_empty = true;
  ++depth_;
}

void JsonWriter::end(char bracket) {
  FABRIC_CHECK(depth_ > 0 && !behind_key_, "what is ended was begun, and each key has a value");
  --depth_;
  if (!open_[depth_].is_empty && style_ == JsonStyle::pretty) {
    waiting_ += '\n';
    waiting_.append(2 * depth_, ' ');
  }
  waiting_ += bracket;
  if (waiting_.size() >= kPieceBytes) pass_on();
}

void JsonWriter::key(std::string_view name) {
  FABRIC_CHECK(depth_ > 0 && !behind_key_, "a key stands in an object");
  Open& open = open_[depth_ - 1];
  FABRIC_CHECK(open.is_empty || open.last_key < name, "keys of an object come in order");
  separate();
  open.last_key = name;
  append_quoted(name);
  waiting_ += style_ == JsonStyle::pretty ? ": " : ":";
  behind_key_ = true;
}

void JsonWriter::append_quoted(std::string_view text) {
  waiting_ += '"';
  bool is_ordinary = !holds_log_command(text);
  while (!text.empty()) {
    const std::size_t plain = is_ordinary ? plain_bytes(text) : 0;
    waiting_ += text.substr(0, plain);
    text.remove_prefix(plain);
    if (text.empty()) break;
    const char name = short_escape(text.front());
    is_ordinary = is_ordinary && name != '\0';
    if (!is_ordinary) {
      // The rest of it at once: bytes that are no UTF-8, what could deceive.
      const std::string rest =
          json(std::string{text}).dump(-1, ' ', false, json::error_handler_t::replace);
      waiting_ += without_deception(std::string_view{rest}.substr(1));
      return;
    }
    waiting_ += '\\';
    waiting_ += name;
    text.remove_prefix(1);
  }
  waiting_ += '"';
}

void JsonWriter::text(std::string_view text) {
  separate();
  append_quoted(text);
}

void JsonWriter::written(std::string_view json) {
  separate();
  waiting_ += json;
}

void JsonWriter::number(std::int64_t number) {
  separate();
  std::array<char, 24> digits{};
  const auto done = std::to_chars(digits.data(), digits.data() + digits.size(), number);
  waiting_.append(digits.data(), static_cast<std::size_t>(done.ptr - digits.data()));
}

void JsonWriter::boolean(bool flag) {
  separate();
  waiting_ += flag ? "true" : "false";
}

// NOLINTNEXTLINE(misc-no-recursion): depth is bounded by parse_json and by our own builders
void JsonWriter::value(const Value& value) {
  std::visit(
      Overloaded{
          [this](std::monostate) {
            separate();
            waiting_ += "null";
          },
          [this](bool flag) { boolean(flag); },
          [this](std::int64_t is) { number(is); },
          [this](double is) {
            separate();
            waiting_ += json(is).dump();
          },
          [this](const std::string& is) { text(is); },
          [this](const List& list) {
            begin_list();
            for (const Value& item : list)
              this->value(item);
            end_list();
          },
          [this](const Map& map) {
            begin_object();
            for (const auto& [name, item] : map)
              member(name, item);
            end_object();
          }},
      value.storage());
}

JsonWriter JsonWriter::for_items(Sink sink) const {
  JsonWriter items{style_, std::move(sink)};
  items.open_.resize(depth_);
  items.depth_ = depth_;
  return items;
}

void JsonWriter::write_items(std::string_view text) {
  FABRIC_CHECK(depth_ > 0 && !behind_key_, "items stand in a list");
  if (text.empty()) return;
  if (!std::exchange(open_[depth_ - 1].is_empty, false)) waiting_ += ',';
  pass_on();
  sink_(text);
}

void JsonWriter::finish() {
  FABRIC_CHECK(depth_ == 0, "all that begins is ended");
  if (style_ == JsonStyle::pretty) waiting_ += '\n';
  pass_on();
}

}  // namespace fabric
