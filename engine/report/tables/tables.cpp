// SPDX-License-Identifier: Apache-2.0
#include "engine/report/tables/tables.hpp"

#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "engine/base/printable.hpp"
#include "engine/base/text.hpp"
#include "engine/base/white_space.hpp"

namespace fabric::report {

namespace {

// Behind whatever blanks a reader of cells would strip before it looks for one. A tab in front was
// made a blank, a line end is written out.
bool begins_formula(std::string_view cell) {
  while (!cell.empty()) {
    const Character first = first_character(cell);
    if (!is_white_space(first.code)) {
      constexpr std::u32string_view kFormula = U"=+-@\uff1d\uff0b\uff0d\uff20";
      return kFormula.find(static_cast<char32_t>(first.code)) != std::u32string_view::npos;
    }
    cell.remove_prefix(first.length);
  }
  return false;
}

}  // namespace

std::string csv_cell(std::string_view text) {
  // A quoted cell could have line ends, but no cell here needs one.
  std::string cell = printable(text);
  if (begins_formula(cell)) cell.insert(0, 1, '\'');
  if (cell.find_first_of(",\";") == std::string::npos) return cell;
  std::string quoted = "\"";
  for (const char c : cell)
    quoted += c == '"' ? std::string{"\"\""} : std::string{c};
  return quoted + '"';
}

std::string csv_row(std::span<const std::string> cells) {
  std::string row;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    if (i != 0) row += ',';
    row += csv_cell(cells[i]);
  }
  return row + '\n';
}

// XML 1.0 has no control characters at all, not even escaped, and nothing printable is one.
std::string xml_text(std::string_view text) {
  std::string safe;
  for (const char c : printable(text)) {
    switch (c) {
      case '<':
        safe += "&lt;";
        break;
      case '>':
        safe += "&gt;";
        break;
      case '&':
        safe += "&amp;";
        break;
      case '"':
        safe += "&quot;";
        break;
      default:
        safe += c;
    }
  }
  return safe;
}

std::string html_text(std::string_view text) {
  std::string safe;
  for (const char c : xml_text(text))
    safe += c == '\'' ? std::string{"&#39;"} : std::string{c};
  return safe;
}

std::string html_in_markdown(std::string_view text) {
  std::string safe;
  for (const char c : printable(text)) {
    if (c == '<') {
      safe += "&lt;";
    } else if (c == '>') {
      safe += "&gt;";
    } else if (c == '&') {
      safe += "&amp;";
    } else if (c == '@') {
      safe += "&#64;";
    } else {
      safe += c;
    }
  }
  return safe;
}

std::string inert(std::string_view text) {
  constexpr std::string_view kMarks = "\\`*_{}[]()!|~:$#";
  std::string safe;
  for (const char c : html_in_markdown(text)) {
    // A '#' of html_in_markdown() is part of an entity.
    const bool is_entity = c == '#' && safe.ends_with('&');
    if (kMarks.find(c) != std::string_view::npos && !is_entity) safe += '\\';
    safe += c;
  }
  return safe;
}

std::string fenced(std::string_view text) {
  std::size_t longest = 0;
  std::size_t run = 0;
  for (const char c : text) {
    run = c == '`' ? run + 1 : 0;
    longest = std::max(longest, run);
  }
  const std::string fence(std::max<std::size_t>(3, longest + 1), '`');
  return fmt::format("{}text\n{}{}{}\n", fence, text, text.ends_with('\n') ? "" : "\n", fence);
}

std::string without_middle(std::string_view text, std::size_t most) {
  if (text.size() <= most) return std::string{text};
  const std::vector<std::string_view> lines = split_lines(text);
  constexpr std::size_t kNote = 64;
  const std::size_t half = most > kNote ? (most - kNote) / 2 : 0;
  std::size_t first = 0;
  std::size_t bytes = 0;
  while (first < lines.size() && bytes + lines[first].size() + 1 <= half)
    bytes += lines[first++].size() + 1;
  std::size_t last = lines.size();
  bytes = 0;
  while (last > first && bytes + lines[last - 1].size() + 1 <= half)
    bytes += lines[--last].size() + 1;
  std::string kept;
  for (std::size_t i = 0; i < first; ++i)
    (kept += lines[i]) += '\n';
  kept += fmt::format("... {} lines are left out ...\n", last - first);
  for (std::size_t i = last; i < lines.size(); ++i)
    (kept += lines[i]) += '\n';
  return kept;
}

}  // namespace fabric::report
