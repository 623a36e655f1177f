// SPDX-License-Identifier: Apache-2.0
// A fast parser for usual JSON texts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "engine/value/value.hpp"

namespace fabric {

// The result of parse_json. nullopt: the text is no JSON, or has something unusual (a key twice, a
// byte order mark, a number beyond 64 bits, deep nesting, very many values for its length), for
// which the other parser is needed.
std::optional<Value> read_plain_json(std::string_view text);

// Reads such a text piece by piece, for a caller that needs no tree. A false result means something
// unusual, or another type than was asked for: use parse_json then. Blanks before each piece are
// skipped.
class PlainJson {
 public:
  // `text` must outlive this.
  explicit PlainJson(std::string_view text);

  bool value(Value& made) { return value(made, depth_); }
  // Calls `member` with each key in turn, to read its value. `member` must check for duplicate
  // keys.
  bool object(const std::function<bool(std::string& key)>& member);
  // `written` is set to the source text of the string, with its quotation marks.
  bool string(std::string& text, std::string_view& written);
  // Skips the next string if its source text is `written`, byte for byte. REQUIRES: `written` is
  // from string().
  bool pass(std::string_view written);
  // True if the text ends here.
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
