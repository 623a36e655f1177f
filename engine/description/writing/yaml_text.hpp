// SPDX-License-Identifier: Apache-2.0
// YAML as a person writes it: a value that fits on a line stands on one, others are indented. The
// reader of documents (engine/yaml) reads back just the values that were given.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace fabric::description {

// A scalar as both YAML 1.1 and 1.2 read it: plain where that is safe, else in double quotes with
// every character escaped that could do harm. `in_flow`: between brackets or braces, where commas
// and brackets need quotes.
std::string yaml_scalar(std::string_view text, bool in_flow);

struct YamlEntry;

// A value of the document to be. Keys keep their order.
struct YamlTree {
  enum class Kind : std::uint8_t { text, raw, list, mapping };
  Kind kind = Kind::text;
  std::string scalar;  // raw: a number, true or false
  std::vector<YamlTree> items;
  std::vector<YamlEntry> entries;
  std::vector<std::string> comments;  // above it, each one line of any text
  bool in_block = false;              // never on one line

  // Moved; a copy, as deep as the tree, is asked for.
  YamlTree() = default;
  YamlTree(const YamlTree&) = delete;
  YamlTree& operator=(const YamlTree&) = delete;
  YamlTree(YamlTree&&) noexcept = default;
  YamlTree& operator=(YamlTree&&) noexcept = default;
  ~YamlTree() = default;
  YamlTree copy() const;

  static YamlTree text(std::string value);
  static YamlTree number(std::uint64_t value);
  static YamlTree yes_or_no(bool value);
  static YamlTree list();
  static YamlTree mapping();

  // Adds a key to a mapping, and gives its value back.
  YamlTree& add(std::string key, YamlTree value);
  // As add(), unless the text is "".
  void add_text(std::string key, const std::string& value);
  void add_number(std::string key, std::uint64_t value);  // unless it is 0
};

struct YamlEntry {
  std::string key;
  YamlTree value;
};

// "{a: 1, b: [x, y]}"
std::string flow_text(const YamlTree& tree);
// The entries of a mapping, one below the other.
std::string block_text(const YamlTree& tree);
// "# text", made harmless, broken into lines.
std::string comment_lines(std::string_view text, std::size_t indent);

}  // namespace fabric::description
