// SPDX-License-Identifier: Apache-2.0
// What stands between two tokens of a YAML text: comments, blank lines, and the marks of a
// document.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace fabric::yaml {

// A comment, or a line with a mark: `---`, `...`, `%YAML 1.2`.
struct Remark {
  std::string text;          // without blanks at its end, and with one behind its '#'
  std::size_t column = 0;    // of its first character in its line
  std::size_t blanks = 0;    // right before it
  bool is_trailing = false;  // behind something else in its line
  bool after_blank_line = false;
};

struct Gap {
  std::vector<Remark> remarks;
  bool has_line_end = false;
  bool ends_with_blank_line = false;  // between the last remark, or the begin, and the end
  // The first character that is no comment, no blank and no indicator (`-`, `:`, `,`, `?`): what
  // such a text says is not to be moved. So is a '#' right behind something else, which is a
  // comment to some readers only.
  std::optional<std::uint32_t> strange{};
};

// What stands before a text that says it is UTF-8.
inline constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";

// REQUIRES: no part of a scalar or of a bracket lies in [begin, end).
Gap gap_between(std::string_view text, std::uint32_t begin, std::uint32_t end);

std::size_t column_of(std::string_view text, std::uint32_t offset);

// As a Remark has it: "# text" of "#text  ". What begins with "##" or "#!" has no blank there.
std::string canonical_comment(std::string_view comment);

}  // namespace fabric::yaml
