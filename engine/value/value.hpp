// SPDX-License-Identifier: Apache-2.0
// Value: the dynamic tree of desired and observed state, and of parsed JSON.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "engine/base/interned_text.hpp"

namespace fabric {

class Value;
using List = std::vector<Value>;
// Ordered, so that output is deterministic.
using Map = std::map<std::string, Value, std::less<>>;

class Value {
 public:
  using Storage = std::variant<std::monostate, bool, std::int64_t, double, std::string, List, Map>;

  Value() = default;
  // NOLINTBEGIN(google-explicit-constructor): a literal must be usable where a Value is wanted.
  Value(bool value) : storage_{value} {}
  Value(std::int64_t value) : storage_{value} {}
  Value(int value) : storage_{std::int64_t{value}} {}
  Value(std::uint32_t value) : storage_{std::int64_t{value}} {}
  Value(double value) : storage_{value} {}
  Value(std::string value) : storage_{std::move(value)} {}
  Value(std::string_view value) : storage_{std::string{value}} {}
  Value(const char* value) : storage_{std::string{value}} {}
  Value(InternedText value) : storage_{value.str()} {}
  Value(List value) : storage_{std::move(value)} {}
  Value(Map value) : storage_{std::move(value)} {}
  // NOLINTEND(google-explicit-constructor)

  // In value.cpp: they recurse, which not every includer should compile and a lint would report.
  Value(const Value& other);
  Value(Value&& other) noexcept;
  Value& operator=(const Value& other);
  Value& operator=(Value&& other) noexcept;
  ~Value();

  const Storage& storage() const { return storage_; }
  bool is_null() const { return storage_.index() == 0; }

  // Null if the value has another type.
  const bool* as_bool() const { return std::get_if<bool>(&storage_); }
  const std::int64_t* as_integer() const { return std::get_if<std::int64_t>(&storage_); }
  const std::string* as_string() const { return std::get_if<std::string>(&storage_); }
  const List* as_list() const { return std::get_if<List>(&storage_); }
  const Map* as_map() const { return std::get_if<Map>(&storage_); }
  std::string* as_string() { return std::get_if<std::string>(&storage_); }
  List* as_list() { return std::get_if<List>(&storage_); }
  Map* as_map() { return std::get_if<Map>(&storage_); }

  // The items of a list and the members of a map; none of another type.
  const List& items() const;
  const Map& members() const;
  // The member, or null if this is no map or has no such key.
  const Value* find(std::string_view key) const;
  const Value& member(std::string_view key) const;  // null as a value
  // The string member, or "" if there is none.
  std::string string_or_empty(std::string_view key) const;

  friend bool operator==(const Value& a, const Value& b);

 private:
  Storage storage_;
};

// What is there, or null as a value.
const Value& or_null(const Value* value);
const Value& value_at(const Map& map, std::string_view key);

// For people: strings bare, lists as [a, b], maps as {k: v}, null as "none".
std::string to_text(const Value& value);
// The same of a member; "" if there is none.
std::string text_in(const Map& map, std::string_view key);

}  // namespace fabric
