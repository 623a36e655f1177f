// SPDX-License-Identifier: Apache-2.0
// YAML in the style of a person: a value that fits on a line is on one, others are indented. The
// reader of documents (engine/yaml) reads exactly the same values back.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace fabric::description {

// A scalar as both YAML 1.1 and 1.2 read it: plain if that is safe, or in double quotes with
// special characters escaped. `in_flow`: between brackets or braces, where commas and brackets need
// quotes.
std::string yaml_scalar(std::string_view text, bool in_flow);

struct YamlEntry;

// A value of the document that is written. Keys keep their order.
struct YamlTree {
  enum class Kind : std::uint8_t { text, raw, list, mapping };
  Kind kind = Kind::text;
  std::string scalar;  // raw: a number, true or false
  std::vector<YamlTree> items;
  std::vector<YamlEntry> entries;
  std::vector<std::string> comments;  // above it, each one line of any text
  bool in_block = false;              // never on one line

  // Only movable; a copy of the whole tree must be asked for.
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

  // Adds a key to a mapping, and returns the added value.
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
// "# text", with control characters replaced, broken into lines.
std::string comment_lines(std::string_view text, std::size_t indent);

}  // namespace fabric::description
