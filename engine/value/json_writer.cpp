// SPDX-License-Identifier: Apache-2.0
#include "engine/value/json_writer.hpp"

#include <algorithm>
#include <charconv>
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

// Makes JSON safe for a terminal and the log of a CI system: deceptive characters occur only inside
// of strings, where their escapes mean the same.
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

// The letter after the backslash in a short escape; 0 = the character needs its context.
char short_escape(char c) {
  constexpr std::string_view kMeant = "\"\\\b\f\n\r\t";
  constexpr std::string_view kNames = "\"\\bfnrt";
  const std::size_t at = kMeant.find(c);
  return at == std::string_view::npos ? '\0' : kNames[at];
}

// Bytes that are no UTF-8, what could deceive.
std::string quoted_with_care(std::string_view text) {
  return without_deception(
      json(std::string{text}).dump(-1, ' ', false, json::error_handler_t::replace));
}

}  // namespace

JsonWriter::JsonWriter(JsonStyle style, Sink sink) : style_{style}, sink_{std::move(sink)} {}

void JsonWriter::pass_on() {
  sink_({waiting_.get(), used_});
  used_ = 0;
}

void JsonWriter::make_room(std::size_t bytes) {
  constexpr std::size_t kFirst = 512;
  room_ = std::max({kFirst, 2 * room_, used_ + bytes});
  auto larger = std::make_unique_for_overwrite<char[]>(room_);
  std::copy_n(waiting_.get(), used_, larger.get());
  waiting_ = std::move(larger);
}

inline char* JsonWriter::room(std::size_t bytes) {
  if (room_ - used_ < bytes) make_room(bytes);
  return waiting_.get() + used_;
}

void JsonWriter::append(std::string_view text) {
  std::copy_n(text.data(), text.size(), room(text.size()));
  used_ += text.size();
}

inline void JsonWriter::break_line() {
  const std::size_t spaces = 2 * depth_;
  char* const at = room(1 + spaces);
  *at = '\n';
  std::fill_n(at + 1, spaces, ' ');
  used_ += 1 + spaces;
}

inline void JsonWriter::separate() {
  if (std::exchange(behind_key_, false) || depth_ == 0) return;
  Open& open = open_[depth_ - 1];
  if (!std::exchange(open.is_empty, false)) {
    *room(1) = ',';
    ++used_;
  }
  if (style_ == JsonStyle::pretty) break_line();
}

void JsonWriter::begin(char bracket) {
  separate();
  *room(1) = bracket;
  ++used_;
  // Levels are used again: their keys keep their memory.
  if (open_.size() == depth_) open_.emplace_back();
  open_[depth_].is_empty = true;
  ++depth_;
}

void JsonWriter::end(char bracket) {
  FABRIC_CHECK(depth_ > 0 && !behind_key_, "what is ended was begun, and each key has a value");
  --depth_;
  if (!open_[depth_].is_empty && style_ == JsonStyle::pretty) break_line();
  *room(1) = bracket;
  ++used_;
  if (used_ >= kPieceBytes) pass_on();
}

void JsonWriter::key(std::string_view name) {
  FABRIC_CHECK(depth_ > 0 && !behind_key_, "a key stands in an object");
  Open& open = open_[depth_ - 1];
  FABRIC_CHECK(open.is_empty || open.last_key < name, "keys of an object come in order");
  separate();
  open.last_key = name;
  append_quoted(name);
  char* const at = room(2);
  at[0] = ':';
  at[1] = ' ';
  used_ += style_ == JsonStyle::pretty ? 2 : 1;
  behind_key_ = true;
}

void JsonWriter::append_quoted(std::string_view text) {
  // A quotation mark, an escape, and what copy_plain_bytes() writes beyond.
  constexpr std::size_t kMore = 16;
  const std::size_t begin = used_;
  bool may_be_command = false;
  *room(text.size() + kMore) = '"';
  ++used_;
  for (std::string_view rest = text;;) {
    char* const at = room(rest.size() + kMore);
    const std::size_t plain = copy_plain_bytes(rest, at, '#', may_be_command);
    used_ += plain;
    rest.remove_prefix(plain);
    if (rest.empty()) {
      at[plain] = '"';
      ++used_;
      break;
    }
    const char name = short_escape(rest.front());
    if (name == '\0') {
      used_ = begin;
      return append(quoted_with_care(text));
    }
    at[plain] = '\\';
    at[plain + 1] = name;
    used_ += 2;
    rest.remove_prefix(1);
  }
  if (may_be_command && holds_log_command(text)) {
    used_ = begin;
    append(quoted_with_care(text));
  }
}

void JsonWriter::text(std::string_view text) {
  separate();
  append_quoted(text);
}

void JsonWriter::text(std::initializer_list<std::string_view> parts) {
  joined_.clear();
  for (const std::string_view part : parts)
    joined_ += part;
  text(joined_);
}

void JsonWriter::written(std::string_view json) {
  separate();
  append(json);
}

void JsonWriter::number(std::int64_t number) {
  separate();
  constexpr std::size_t kMost = 20;  // digits and a sign
  char* const at = room(kMost);
  used_ += static_cast<std::size_t>(std::to_chars(at, at + kMost, number).ptr - at);
}

void JsonWriter::boolean(bool flag) {
  separate();
  append(flag ? "true" : "false");
}

// NOLINTBEGIN(misc-no-recursion): depth is bounded by parse_json and by our own builders
void JsonWriter::value(const Value& value) {
  std::visit(
      Overloaded{
          [this](std::monostate) {
            separate();
            append("null");
          },
          [this](bool flag) { boolean(flag); },
          [this](std::int64_t is) { number(is); },
          [this](double is) {
            separate();
            append(json(is).dump());
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
// NOLINTEND(misc-no-recursion)

JsonWriter JsonWriter::for_items(Sink sink) const {
  JsonWriter items{style_, std::move(sink)};
  items.open_.resize(depth_);
  items.depth_ = depth_;
  return items;
}

void JsonWriter::write_items(std::string_view text) {
  FABRIC_CHECK(depth_ > 0 && !behind_key_, "items stand in a list");
  if (text.empty()) return;
  if (!std::exchange(open_[depth_ - 1].is_empty, false)) append(",");
  pass_on();
  sink_(text);
}

void JsonWriter::finish() {
  FABRIC_CHECK(depth_ == 0, "all that begins is ended");
  if (style_ == JsonStyle::pretty) append("\n");
  pass_on();
}

}  // namespace fabric
