// SPDX-License-Identifier: Apache-2.0
#include "engine/value/value.hpp"

#include <fmt/format.h>

#include "engine/base/overloaded.hpp"

namespace fabric {

namespace {

// NOLINTNEXTLINE(misc-no-recursion): depth is bounded where trees are read (limits::kNestingDepth)
std::string list_text(const List& list) {
  std::string text = "[";
  for (const Value& item : list) {
    if (text.size() > 1) text += ", ";
    text += to_text(item);
  }
  return text + "]";
}

// NOLINTNEXTLINE(misc-no-recursion): as above
std::string map_text(const Map& map) {
  std::string text = "{";
  for (const auto& [key, item] : map) {
    if (text.size() > 1) text += ", ";
    text += key + ": " + to_text(item);
  }
  return text + "}";
}

}  // namespace

// Each member's own copy, move, end and comparison is one step down the tree, whose depth is
// bounded where trees are read. NOLINTBEGIN(misc-no-recursion)
Value::Value(const Value& other) = default;
Value::Value(Value&& other) noexcept = default;
Value& Value::operator=(const Value& other) = default;
Value& Value::operator=(Value&& other) noexcept = default;
Value::~Value() = default;
bool operator==(const Value& a, const Value& b) {
  return a.storage_ == b.storage_;
}
// NOLINTEND(misc-no-recursion)

const List& Value::items() const {
  static const List none;
  return as_list() == nullptr ? none : *as_list();
}

const Map& Value::members() const {
  static const Map none;
  return as_map() == nullptr ? none : *as_map();
}

const Value& Value::member(std::string_view key) const {
  return or_null(find(key));
}

const Value& or_null(const Value* value) {
  static const Value none;
  return value == nullptr ? none : *value;
}

const Value& value_at(const Map& map, std::string_view key) {
  const auto found = map.find(key);
  return or_null(found == map.end() ? nullptr : &found->second);
}

const Value* Value::find(std::string_view key) const {
  const Map* map = as_map();
  if (map == nullptr) return nullptr;
  const auto found = map->find(key);
  return found == map->end() ? nullptr : &found->second;
}

std::string Value::string_or_empty(std::string_view key) const {
  const Value* member = find(key);
  const std::string* text = member == nullptr ? nullptr : member->as_string();
  return text == nullptr ? std::string{} : *text;
}

// NOLINTBEGIN(misc-no-recursion): as above
std::string to_text(const Value& value) {
  return std::visit(
      Overloaded{
          [](std::monostate) { return std::string{"none"}; },
          [](bool flag) { return std::string{flag ? "true" : "false"}; },
          [](std::int64_t number) { return std::to_string(number); },
          [](double number) { return fmt::format("{}", number); },
          [](const std::string& text) { return text; },
          [](const List& list) { return list_text(list); },
          [](const Map& map) {
            return map_text(map);
          }},
      value.storage());
}
// NOLINTEND(misc-no-recursion)

std::string text_in(const Map& map, std::string_view key) {
  const auto found = map.find(key);
  return found == map.end() ? std::string{} : to_text(found->second);
}

}  // namespace fabric
