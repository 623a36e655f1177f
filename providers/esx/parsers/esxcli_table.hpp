// SPDX-License-Identifier: Apache-2.0
// Lists that esxcli prints: as a table, or with --formatter=keyvalue, csv or json.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/result.hpp"

namespace fabric::providers {

struct EsxcliRow {
  // The cells by column. A column is named in lower case without blanks ("acceptancelevel"),
  // because the formatters spell it differently.
  std::map<std::string, std::string, std::less<>> cells;
  std::size_t line = 1;

  // The text of a cell without blanks at its ends; "" if it is empty or there is no such column.
  std::string_view cell(std::string_view column) const;
};

// The rows in order. A table is cut where the line of dashes under its heading says; a line whose
// first cells are empty goes on with the last cell of the row above. A row without any cell is
// skipped. Fails with ErrorCode::invalid, "line N: ...", on a table without its line of dashes, a
// cell that crosses columns, a csv row with another number of cells, and where a column of
// `required` is missing.
Result<std::vector<EsxcliRow>> read_esxcli_rows(
    std::string_view text, const std::vector<std::string>& required);

}  // namespace fabric::providers
