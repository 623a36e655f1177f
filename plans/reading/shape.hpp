// SPDX-License-Identifier: Apache-2.0
// Shape: reads a JSON object of which every key is known, and says precisely what is wrong with it:
// "actions[3].writes[0].mode: expected a string, found 420".
#pragma once

#include <limits>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/result.hpp"
#include "engine/value/value.hpp"

namespace fabric::plans {

// The first complaint about a file; later ones are often its consequences.
class Complaint {
 public:
  void add(const std::string& path, const std::string& what);
  const std::optional<Error>& error() const { return error_; }

 private:
  std::optional<Error> error_;
};

// Getters complain about a missing value or another type and return an empty value.
class Shape {
 public:
  // Both must outlive this. A `value` that is no object is complained about.
  Shape(const Value& value, std::string path, Complaint& complaint);
  // Complains about keys that no getter asked for: a reader that ignored them would do something
  // other than the writer meant.
  ~Shape();
  Shape(const Shape&) = delete;
  Shape& operator=(const Shape&) = delete;
  Shape(Shape&&) = delete;
  Shape& operator=(Shape&&) = delete;

  std::string text(std::string_view key);
  bool flag(std::string_view key);
  // False if it is missing (allowed).
  bool optional_flag(std::string_view key) { return optional(key) != nullptr && flag(key); }
  // 0 .. most.
  std::int64_t number(
      std::string_view key, std::int64_t most = std::numeric_limits<std::int64_t>::max());
  std::uint32_t small_number(std::string_view key);
  std::vector<std::string> texts(std::string_view key);
  // Null value if it is missing (complained about).
  const Value& any(std::string_view key);
  // Null if it is missing (allowed).
  const Value* optional(std::string_view key);
  const List& list(std::string_view key);
  const Map& map(std::string_view key);

  std::string path_of(std::string_view key) const;
  std::string path_of(std::string_view key, std::size_t index) const;
  void complain(std::string_view key, const std::string& what);
  Complaint& complaint() { return complaint_; }

  // The value of `key` parsed by `parse`, which returns a Result<T>; `otherwise` if it fails.
  template <class T, class Parse>
  T parsed(std::string_view key, Parse parse, T otherwise) {
    Result<T> result = parse(std::string_view{text(key)});
    if (result) return std::move(result).value();
    complain(key, result.error().message);
    return otherwise;
  }

 private:
  const Map& members_;
  std::string path_;
  Complaint& complaint_;
  std::set<std::string, std::less<>> asked_;
};

// Calls `read(item, path)` for each item of the list.
template <class Read>
void each(Shape& shape, std::string_view key, Read read) {
  const List& items = shape.list(key);
  for (std::size_t i = 0; i < items.size(); ++i)
    read(items[i], shape.path_of(key, i));
}

// The text of list item `index`, complaining like a Shape.
std::string text_item(const Value& item, const std::string& path, Complaint& complaint);

}  // namespace fabric::plans
