// SPDX-License-Identifier: Apache-2.0
// The fast way through a JSON text that is as nearly every one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "engine/value/value.hpp"

namespace fabric {

// What parse_json makes of the text. nullopt: it is no JSON, or something of it is out of the
// ordinary (a key twice, a byte order mark, a number beyond 64 bits, deep nesting, very many values
// for its length), which the other parser reads and judges.
std::optional<Value> read_plain_json(std::string_view text);

// Reads such a text piece by piece, for a caller that needs no tree of it. A false result means
// something unusual, or another type than was asked for: the text is then for parse_json. Blanks in
// front of each piece are passed over.
class PlainJson {
 public:
  // `text` outlives it.
  explicit PlainJson(std::string_view text);

  bool value(Value& made) { return value(made, depth_); }
  // Calls `member` with each key in turn, to take its value. A key that stands twice is for
  // `member` to see.
  bool object(const std::function<bool(std::string& key)>& member);
  // `written` becomes what stands there, with its quotation marks.
  bool string(std::string& text, std::string_view& written);
  // Passes over what stands next if it is `written`, byte for byte. REQUIRES: that is a string as
  // it was written.
  bool pass(std::string_view written);
  // That nothing follows.
  bool end();

 private:
  bool take(char c);
  void skip_blanks();
  bool word(std::string_view expected);
  bool value(Value& made, int depth);
  bool object(Value& made, int depth);
  bool list(Value& made, int depth);
  bool number(Value& made);
  void skip_digits();
  const char* closing_mark(const char* begin) const;
  bool string(std::string& text);
  bool escape(std::string& text);
  bool code_point(std::string& text);
  bool code_unit(std::uint32_t& unit);
  bool character(std::string& text);

  const char* next_;
  const char* end_;
  std::size_t values_left_;
  int depth_ = 0;  // objects that are taken member by member
};

}  // namespace fabric
