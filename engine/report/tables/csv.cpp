// SPDX-License-Identifier: Apache-2.0
#include "engine/report/tables/csv.hpp"

#include "engine/base/printable.hpp"
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

}  // namespace fabric::report
