// SPDX-License-Identifier: Apache-2.0
// Node: a YAML document as it was written. Every key and every value keeps its place, every scalar
// its raw text; its type is decided later, by the schema.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/source.hpp"

namespace fabric::yaml {

enum class Kind : std::uint8_t { null, scalar, sequence, mapping };

struct Entry;

struct Node {
  Kind kind = Kind::null;
  // The place of the scalar's text with its quotes, or of the whole collection; for an empty value
  // the end of its key.
  SourceRange range;
  std::string text;            // scalars only, quotes and escapes resolved
  bool quoted = false;         // '...', "...", | or >: always a string
  bool cut_short = false;      // for a root: reading stopped at an error, the rest is missing
  std::vector<Node> items;     // sequences
  std::vector<Entry> entries;  // mappings, in order of the text, keys unique

  bool is_scalar() const { return kind == Kind::scalar; }
  bool is_sequence() const { return kind == Kind::sequence; }
  bool is_mapping() const { return kind == Kind::mapping; }
  // The value of a key, or null.
  const Node* find(std::string_view key) const;
  const Entry* find_entry(std::string_view key) const;
};

struct Entry {
  std::string key;
  SourceRange key_range;
  bool key_quoted = false;
  Node value;
};

}  // namespace fabric::yaml
