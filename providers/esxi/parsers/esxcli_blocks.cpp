// SPDX-License-Identifier: Apache-2.0
#include "providers/esxi/parsers/esxcli_blocks.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "engine/base/text.hpp"
#include "providers/parsers/lines.hpp"

namespace fabric::providers {

namespace {

std::string cell_name(std::string_view key) {
  std::string name = to_lower(key);
  name.erase(std::remove(name.begin(), name.end(), ' '), name.end());
  return name;
}

Result<std::monostate> read_line(
    std::string_view line, std::size_t number, std::vector<EsxcliRow>& rows) {
  if (!line.starts_with(' ') && !line.starts_with('\t')) {
    EsxcliRow& row = rows.emplace_back();
    row.line = number;
    row.cells.emplace("", trim(line));
    return std::monostate{};
  }
  const std::size_t colon = line.find(':');
  if (colon == std::string_view::npos || rows.empty() || trim(line.substr(0, colon)).empty())
    return error_at(number, fmt::format("expected Key: Value, found '{}'", trim(line)));
  const std::string_view key = trim(line.substr(0, colon));
  const bool added = rows.back().cells.emplace(cell_name(key), trim(line.substr(colon + 1))).second;
  if (!added) return error_at(number, fmt::format("'{}' is there twice", key));
  return std::monostate{};
}

}  // namespace

Result<std::vector<EsxcliRow>> read_esxcli_blocks(
    std::string_view text, const std::vector<std::string>& required) {
  std::vector<EsxcliRow> rows;
  std::size_t number = 0;
  for (const std::string_view line : split_lines(text)) {
    ++number;
    if (!trim(line).empty()) FABRIC_TRY(read_line(line, number, rows));
  }
  for (const EsxcliRow& row : rows) {
    for (const std::string& key : required) {
      if (!row.cells.contains(key))
        return error_at(row.line, fmt::format("'{}' has no line '{}'", row.cell(""), key));
    }
  }
  return rows;
}

}  // namespace fabric::providers
