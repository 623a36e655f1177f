// SPDX-License-Identifier: Apache-2.0
#include "plans/reading/shape.hpp"

#include <fmt/format.h>

#include "engine/value/json.hpp"

namespace fabric::plans {

namespace {

const Map& empty_map() {
  static const Map empty;
  return empty;
}

const Map& members_of(const Value& value) {
  const Map* map = value.as_map();
  return map == nullptr ? empty_map() : *map;
}

std::string expected(std::string_view what, const Value& found) {
  constexpr std::size_t kShown = 60;
  std::string text = to_json(found);
  if (text.size() > kShown) text = text.substr(0, kShown) + "...";
  return fmt::format("expected {}, found {}", what, text);
}

}  // namespace

void Complaint::add(const std::string& path, const std::string& what) {
  if (!error_)
    error_ = Error{ErrorCode::invalid, fmt::format("{}: {}", path.empty() ? "plan" : path, what)};
}

Shape::Shape(const Value& value, std::string path, Complaint& complaint)
    : members_{members_of(value)}, path_{std::move(path)}, complaint_{complaint} {
  if (value.as_map() == nullptr) complaint_.add(path_, expected("an object", value));
}

Shape::~Shape() {
  for (const auto& [key, value] : members_) {
    if (!asked_.contains(key))
      complaint_.add(path_of(key), "unknown key; a newer fabric may know it");
  }
}

std::string Shape::path_of(std::string_view key) const {
  return path_.empty() ? std::string{key} : fmt::format("{}.{}", path_, key);
}

std::string Shape::path_of(std::string_view key, std::size_t index) const {
  return fmt::format("{}[{}]", path_of(key), index);
}

void Shape::complain(std::string_view key, const std::string& what) {
  complaint_.add(path_of(key), what);
}

const Value* Shape::optional(std::string_view key) {
  asked_.emplace(key);
  const auto found = members_.find(key);
  return found == members_.end() ? nullptr : &found->second;
}

const Value& Shape::any(std::string_view key) {
  static const Value none;
  const Value* value = optional(key);
  if (value != nullptr) return *value;
  complain(key, "missing");
  return none;
}

std::string Shape::text(std::string_view key) {
  return text_item(any(key), path_of(key), complaint_);
}

bool Shape::flag(std::string_view key) {
  const Value& value = any(key);
  if (const bool* flag = value.as_bool()) return *flag;
  complain(key, expected("true or false", value));
  return false;
}

std::int64_t Shape::number(std::string_view key, std::int64_t most) {
  const Value& value = any(key);
  const std::int64_t* number = value.as_integer();
  if (number != nullptr && *number >= 0 && *number <= most) return *number;
  complain(key, expected(fmt::format("a whole number from 0 to {}", most), value));
  return 0;
}

std::uint32_t Shape::small_number(std::string_view key) {
  return static_cast<std::uint32_t>(number(key, std::numeric_limits<std::uint32_t>::max()));
}

const List& Shape::list(std::string_view key) {
  static const List none;
  const Value& value = any(key);
  if (const List* list = value.as_list()) return *list;
  complain(key, expected("a list", value));
  return none;
}

const Map& Shape::map(std::string_view key) {
  const Value& value = any(key);
  if (const Map* map = value.as_map()) return *map;
  complain(key, expected("an object", value));
  return empty_map();
}

std::vector<std::string> Shape::texts(std::string_view key) {
  std::vector<std::string> texts;
  const List& items = list(key);
  for (std::size_t i = 0; i < items.size(); ++i) {
    texts.push_back(text_item(items[i], path_of(key, i), complaint_));
  }
  return texts;
}

std::string text_item(const Value& item, const std::string& path, Complaint& complaint) {
  if (const std::string* text = item.as_string()) return *text;
  complaint.add(path, expected("a string", item));
  return {};
}

}  // namespace fabric::plans
