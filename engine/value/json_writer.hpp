// SPDX-License-Identifier: Apache-2.0
// Writes JSON as it is produced, without memory for the whole text.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "engine/value/value.hpp"

namespace fabric {

enum class JsonStyle : std::uint8_t {
  line,    // as to_json
  pretty,  // as to_json_pretty
};

// Writes the same bytes as to_json or to_json_pretty for the same values. REQUIRES: keys of one
// object come in order, each once; every begin has its end.
class JsonWriter {
 public:
  // Gets the text in pieces, each valid during the call.
  using Sink = std::function<void(std::string_view)>;

  JsonWriter(JsonStyle style, Sink sink);

  void begin_object() { begin('{'); }
  void end_object() { end('}'); }
  void begin_list() { begin('['); }
  void end_list() { end(']'); }
  // The value after this key is written next.
  void key(std::string_view name);
  void text(std::string_view text);
  // Writes one string made of several parts.
  void text(std::initializer_list<std::string_view> parts);
  void number(std::int64_t number);
  void boolean(bool flag);
  void value(const Value& value);
  // Writes JSON text of another writer. REQUIRES: it is as to_json() writes a text or a number.
  void written(std::string_view json);

  void member(std::string_view name, std::string_view is) {
    key(name);
    text(is);
  }
  void member(std::string_view name, const std::string& is) { member(name, std::string_view{is}); }
  void member(std::string_view name, const char* is) { member(name, std::string_view{is}); }
  void member(std::string_view name, InternedText is) { member(name, is.str()); }
  void member(std::string_view name, std::int64_t is) {
    key(name);
    number(is);
  }
  void member(std::string_view name, std::uint32_t is) { member(name, std::int64_t{is}); }
  void member(std::string_view name, bool is) {
    key(name);
    boolean(is);
  }
  // NOLINTNEXTLINE(misc-no-recursion): as value()
  void member(std::string_view name, const Value& is) {
    key(name);
    value(is);
  }

  // A writer for items of the list that is being written, for another thread: write_items() takes
  // its output in the order of the items. It is passed on, not finished.
  JsonWriter for_items(Sink sink) const;
  void pass_on();
  void write_items(std::string_view text);

  // After the last value: writes the final line end and passes all buffered text to the sink.
  void finish();

 private:
  struct Open {
    bool is_empty = true;
    std::string last_key{};
  };

  void begin(char bracket);
  void end(char bracket);
  // Writes the comma and line break before a value or a key.
  void separate();
  void break_line();
  void append(std::string_view text);
  void append_quoted(std::string_view text);
  // Room for this many bytes; the written ones are then counted in `used_`.
  char* room(std::size_t bytes);
  void make_room(std::size_t bytes);

  JsonStyle style_;
  Sink sink_;
  // Buffered text for the sink. Most pieces are short: a string would check its capacity for each.
  std::unique_ptr<char[]> waiting_;
  std::size_t room_ = 0;
  std::size_t used_ = 0;
  std::vector<Open> open_;
  std::size_t depth_ = 0;
  bool behind_key_ = false;
  std::string joined_;  // of text(), whose memory is used again
};

}  // namespace fabric
