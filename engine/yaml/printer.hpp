// SPDX-License-Identifier: Apache-2.0
// Printer: prints a tree and its text as canonical text. Comments and blank lines, which the tree
// does not hold, are taken from the text between its places.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/diagnostic.hpp"
#include "engine/base/source.hpp"
#include "engine/yaml/node.hpp"

namespace fabric::yaml {

// The parts between two tokens of a YAML text: comments, blank lines, and the marks of a document.

// A comment, or a line with a mark: `---`, `...`, `%YAML 1.2`.
struct Remark {
  std::string text;          // without blanks at its end, and with one behind its '#'
  std::size_t column = 0;    // column of its first character
  std::size_t blanks = 0;    // number of blanks right before it
  bool is_trailing = false;  // not the first in its line
  bool after_blank_line = false;
};
struct Gap {
  std::vector<Remark> remarks;
  bool has_line_end = false;
  bool ends_with_blank_line = false;  // between the last remark, or the begin, and the end
  // The first character that is no comment, no blank and no indicator (`-`, `:`, `,`, `?`): such a
  // text must not be moved. So is a '#' right behind another character, which is a comment to some
  // readers only.
  std::optional<std::uint32_t> strange{};
};
// The mark before a text in UTF-8.
inline constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";
// REQUIRES: no part of a scalar or of a bracket lies in [begin, end).
Gap gap_between(std::string_view text, std::uint32_t begin, std::uint32_t end);
std::size_t column_of(std::string_view text, std::uint32_t offset);
// The text of a Remark: "# text" of "#text  ". A comment with "##" or "#!" gets no blank there.
std::string canonical_comment(std::string_view comment);

class Printer {
 public:
  // The arguments must outlive this object. REQUIRES: `root` was read from `text` without errors.
  Printer(std::string_view text, const Node& root) : text_{text}, root_{root} {}

  void print();

  const std::string& text() const { return out_; }
  // The comments in order, as they are printed.
  const std::vector<std::string>& comments() const { return comments_; }
  // A part that must not be moved. With any such part the printed text is of no use.
  struct Refused {
    SourceRange place;
    std::string_view why;
  };
  const std::vector<Refused>& refused() const { return refused_; }

 private:
  // A block collection that is open, or was until the last token.
  struct Level {
    std::size_t column = 0;  // column of its keys or dashes before
    std::size_t indent = 0;  // and now
  };

  void block_mapping(const Node& node, std::size_t indent, bool behind_dash);
  void block_sequence(const Node& node, std::size_t indent, bool behind_dash);
  void block_collection(const Node& node, std::size_t indent, bool behind_dash);
  void block_value(const Node& node, std::size_t indent, bool behind_dash);
  void block_scalar(const Node& node, std::size_t indent);
  std::size_t blanks_outside(const Node& node) const;
  void flow(const Node& node);
  void flow_member(const Entry& entry, bool is_in_list);
  void inline_value(const Node& node, std::size_t indent);
  void scalar_lines(std::string_view raw, std::size_t indent);
  void key(const Entry& entry);

  // True if the next character is a colon.
  bool has_colon() const;
  bool is_block(const Node& node) const;
  bool is_written(const Node& node) const;
  Gap pass_gap(std::uint32_t end);
  void new_line(std::uint32_t token, std::size_t indent);
  void remarks(const Gap& gap, std::size_t indent, bool by_column);
  std::size_t indent_of_comment(const Remark& remark, std::size_t indent) const;
  void refuse(SourceRange place, std::string_view why) { refused_.push_back({place, why}); }
  void end_line();
  void blanks(std::size_t number) { out_.append(number, ' '); }
  std::size_t line_indent() const;
  std::string_view raw(SourceRange range) const {
    return text_.substr(range.begin, range.end - range.begin);
  }

  std::string_view text_;
  const Node& root_;
  std::string out_;
  std::uint32_t cursor_ = 0;  // all text before it is printed
  std::vector<Level> levels_;
  std::size_t depth_ = 0;  // number of open levels in `levels_`
  // The blank lines before the next token belong to a block scalar.
  bool blank_lines_count_ = false;
  std::vector<std::string> comments_;
  std::vector<Refused> refused_;
};

// The canonical form of a YAML text: two blanks for each level, one line's end and at most one
// blank line between things, one blank within and around what separates. Keys, comments, quotes,
// block scalars and the choice between brackets and lines stay unchanged.
struct Formatted {
  std::string text;
  // True if `text`, read again, has the same values in the same order, the same comments, and is
  // its own canonical form. If false, `text` is of no use, and that is a bug of fabric.
  bool is_same = false;
};

// Formats one document of `sources`. Nullopt if it has errors: those of parse(), and parts without
// a canonical form, as a key over several lines, reported as `yaml-syntax` in `diagnostics`.
std::optional<Formatted> format(const SourceMap& sources, FileId file, Diagnostics& diagnostics);

}  // namespace fabric::yaml
