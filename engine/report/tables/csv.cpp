// SPDX-License-Identifier: Apache-2.0
#include "engine/report/tables/csv.hpp"

#include "engine/base/printable.hpp"

namespace fabric::report {

std::string csv_cell(std::string_view text) {
  // A quoted cell may have line ends, but none of ours needs one. A tab in front is a blank here,
  // and so is one that a reader of cells would strip before it looks for a formula.
  std::string cell = printable(text);
  const std::size_t first = cell.find_first_not_of(' ');
  constexpr std::string_view kFormula = "=+-@";
  if (first != std::string::npos && kFormula.find(cell[first]) != std::string_view::npos)
    cell.insert(0, 1, '\'');
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
