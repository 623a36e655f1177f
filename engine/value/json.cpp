// SPDX-License-Identifier: Apache-2.0
#include "engine/value/json.hpp"

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "engine/base/limits.hpp"
#include "engine/value/json_check.hpp"
#include "engine/value/json_plain.hpp"
#include "engine/value/json_writer.hpp"

namespace fabric {

namespace {

using nlohmann::json;

// Characters of a text; the parser tells a Builder what it found, but not where it is.
class Reading {
 public:
  // NOLINTBEGIN(readability-identifier-naming): the names that iterators have.
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = const char&;
  // NOLINTEND(readability-identifier-naming)

  // `read` becomes how many characters were taken.
  Reading(std::string_view text, std::size_t position, std::size_t* read)
      : text_{text}, position_{position}, read_{read} {}

  reference operator*() const { return text_[position_]; }
  Reading& operator++() {
    *read_ = ++position_;
    return *this;
  }
  Reading operator++(int) {
    const Reading before = *this;
    ++*this;
    return before;
  }
  friend bool operator==(const Reading& a, const Reading& b) { return a.position_ == b.position_; }

 private:
  std::string_view text_;
  std::size_t position_;
  std::size_t* read_;
};

// Builds Values from SAX events: the DOM of nlohmann would silently take the last of two equal
// keys.
class Builder final : public nlohmann::json_sax<json> {
 public:
  Builder(std::string_view text, DuplicateKeys duplicates) : text_{text}, duplicates_{duplicates} {}

  bool null() override { return put(Value{}); }
  bool boolean(bool value) override { return put(value); }
  bool number_integer(number_integer_t value) override { return put(std::int64_t{value}); }
  bool number_unsigned(number_unsigned_t value) override {
    constexpr auto kMost = static_cast<number_unsigned_t>(INT64_MAX);
    // A number beyond 64 signed bits is kept as text: no value of the field is that large.
    return value > kMost ? put(std::to_string(value)) : put(static_cast<std::int64_t>(value));
  }
  bool number_float(number_float_t value, const string_t& /*text*/) override { return put(value); }
  bool string(string_t& value) override { return put(std::move(value)); }
  bool binary(binary_t& /*value*/) override { return false; }
  bool start_object(std::size_t /*size*/) override { return open(Map{}); }
  bool end_object() override { return close(); }
  bool start_array(std::size_t /*size*/) override { return open(List{}); }
  bool end_array() override { return close(); }
  bool key(string_t& name) override {
    Map* map = stack_.back().as_map();
    if (duplicates_ == DuplicateKeys::refuse && map->contains(name)) {
      // The last character read is the quotation mark after the key.
      return refuse(read_, fmt::format("key '{}' stands twice in one object", name));
    }
    keys_.back() = std::move(name);
    return true;
  }
  bool parse_error(
      std::size_t position, const std::string& /*token*/, const json::exception& failure) override {
    const std::string what = failure.what();
    const std::size_t reason = what.find(": ");
    return refuse(
        position, "not valid JSON" + (reason == std::string::npos ? "" : what.substr(reason)));
  }

  std::size_t* read() { return &read_; }

  Result<Value> take() && {
    if (!error_.empty()) return Error{ErrorCode::invalid, std::move(error_)};
    return std::move(root_);
  }

 private:
  // At the character that was read last, of `position`.
  bool refuse(std::size_t position, const std::string& what) {
    const std::string_view before = text_.substr(0, std::min(position, text_.size()));
    const auto line = 1 + std::count(before.begin(), before.end(), '\n');
    const std::size_t line_start = before.rfind('\n') + 1;
    error_ = fmt::format(
        "line {}, column {}: {}",
        line,
        std::max<std::size_t>(before.size() - line_start, 1),  // 0: the text ends with a line
        what);
    return false;
  }
  bool open(Value container) {
    if (stack_.size() >= static_cast<std::size_t>(limits::kNestingDepth)) {
      return refuse(read_, fmt::format("nested deeper than {} levels", limits::kNestingDepth));
    }
    stack_.push_back(std::move(container));
    keys_.emplace_back();
    return true;
  }
  bool close() {
    Value done = std::move(stack_.back());
    // Most of a tree is small lists: half of what they have grown to would lie idle.
    if (List* list = done.as_list(); list != nullptr) list->shrink_to_fit();
    stack_.pop_back();
    keys_.pop_back();
    return put(std::move(done));
  }
  bool put(Value value) {
    if (stack_.empty()) {
      root_ = std::move(value);
    } else if (List* list = stack_.back().as_list(); list != nullptr) {
      list->push_back(std::move(value));
    } else {
      stack_.back().as_map()->insert_or_assign(keys_.back(), std::move(value));
    }
    return true;
  }

  std::string_view text_;
  DuplicateKeys duplicates_;
  std::size_t read_ = 0;  // characters, by the parser
  Value root_;
  std::vector<Value> stack_;
  std::vector<std::string> keys_;
  std::string error_;
};

std::string written(const Value& value, JsonStyle style) {
  std::string text;
  JsonWriter writer{style, [&text](std::string_view piece) {
                      text += piece;
                    }};
  writer.value(value);
  writer.finish();
  return text;
}

}  // namespace

Result<Value> parse_json(std::string_view text, DuplicateKeys duplicates) {
  if (text.size() > limits::kCheckedFirstBytes) {
    if (const auto problem = check_json(text, json_bytes_most(text.size())))
      return Error{
          ErrorCode::invalid,
          fmt::format("line {}, column {}: {}", problem->line, problem->column, problem->what)};
  }
  return parse_checked_json(text, duplicates);
}

Result<Value> parse_checked_json(std::string_view text, DuplicateKeys duplicates) {
  // A text with anything unusual is read again by the parser that reports the place.
  if (std::optional<Value> value = read_plain_json(text)) return *std::move(value);
  Builder builder{text, duplicates};
  json::sax_parse(
      Reading{text, 0, builder.read()}, Reading{text, text.size(), builder.read()}, &builder);
  return std::move(builder).take();
}

std::string to_json(const Value& value) {
  return written(value, JsonStyle::line);
}

std::string to_json_pretty(const Value& value) {
  return written(value, JsonStyle::pretty);
}

}  // namespace fabric
