// SPDX-License-Identifier: Apache-2.0
// TreeBuilder: makes a Node tree with exact places from the events of one document.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "engine/base/diagnostic.hpp"
#include "engine/base/source.hpp"
#include "engine/yaml/node.hpp"

namespace fabric::yaml {

class KeyIndex {
 public:
  // The first entry with this key. REQUIRES: since the last call `entries` have at most grown.
  std::optional<std::size_t> find(const std::vector<Entry>& entries, std::string_view key);

 private:
  std::size_t slot_of(const std::vector<Entry>& entries, std::string_view key) const;
  void grow(const std::vector<Entry>& entries);

  std::vector<std::uint32_t> slots_;  // the index of an entry plus 1; 0: free
  std::size_t known_ = 0;             // number of entries in here
};

inline constexpr std::string_view kTabMessage = "a tab cannot indent";
inline constexpr std::string_view kOpenQuoteMessage = "this quote is never closed";

// Offsets are bytes of `text`. Every event returns true if reading may go on: false once the
// document is nested deeper or larger than base/limits allow (reported).
class TreeBuilder {
 public:
  // Whether to keep the tree, or only its problems and its size.
  enum class Keep : std::uint8_t { everything, nothing };

  TreeBuilder(FileId file, std::string_view text, Diagnostics& diagnostics, Keep keep)
      : file_{file},
        text_{text},
        diagnostics_{diagnostics},
        problems_before_{diagnostics.items().size()},
        keep_{keep} {}

  bool null(std::uint32_t begin);
  bool alias(std::uint32_t begin);
  bool scalar(std::uint32_t begin, std::string_view value);
  bool open(Kind kind, std::uint32_t begin);
  bool close();

  // The end of the last event.
  std::uint32_t cursor() const { return cursor_; }
  // The begins of the open brackets, innermost last.
  std::vector<std::uint32_t> open_brackets() const;

  // The size of the tree in bytes, with its largest list counted twice: it moves as it grows.
  std::size_t bytes() const { return bytes_ + bytes_of_largest_; }

  // The tree; collections that are still open end where reading stopped.
  Node take() &&;

 private:
  struct Frame {
    Node node;
    bool brackets = false;        // [...] or {...}
    bool stands_for_key = false;  // a collection where a key should be: reported and dropped
    bool has_key = false;
    bool drop_value = false;  // its key was refused
    Entry entry;
    KeyIndex index;           // for large mappings
    std::size_t members = 0;  // number of members, also of those that were not kept
  };

  bool too_many_problems(const Node& node);
  void account(Frame& frame, const Node& node);
  void refuse_open_quote(std::uint32_t begin);
  void refuse_tab(std::uint32_t begin);
  bool attach(Node node);
  void take_key(Frame& frame, const Node& node);
  void take_value(Frame& frame, Node node);
  void refuse_collection_as_key(const Node& node);
  bool refuse_duplicate(Frame& frame);
  std::optional<std::size_t> find_key(Frame& frame) const;
  std::uint32_t content_begin(std::uint32_t begin);
  SourceRange empty_value_range() const;
  bool wants_key() const;
  SourceRange range(std::uint32_t begin, std::uint32_t end) const { return {file_, begin, end}; }

  FileId file_;
  std::string_view text_;
  Diagnostics& diagnostics_;
  std::size_t problems_before_;
  Keep keep_;
  Node root_;
  std::vector<Frame> stack_;
  std::uint32_t cursor_ = 0;
  std::size_t bytes_ = 0;
  std::size_t bytes_of_largest_ = 0;
  bool stopped_ = false;
};

}  // namespace fabric::yaml
