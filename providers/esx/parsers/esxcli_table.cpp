// SPDX-License-Identifier: Apache-2.0
#include "providers/esx/parsers/esxcli_table.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "engine/base/text.hpp"
#include "engine/value/json.hpp"
#include "engine/value/value.hpp"
#include "providers/esx/parsers/esxcli_keyvalue.hpp"
#include "providers/parsers/lines.hpp"

namespace fabric::providers {

namespace {

using Rows = std::vector<EsxcliRow>;

// "Acceptance Level" and "AcceptanceLevel" to "acceptancelevel"
std::string column_name(std::string_view heading) {
  std::string name = to_lower(heading);
  name.erase(std::remove(name.begin(), name.end(), ' '), name.end());
  return name;
}

Result<std::monostate> check_columns(
    const std::vector<std::string>& found,
    const std::vector<std::string>& required,
    std::size_t line) {
  for (const std::string& column : required) {
    if (std::find(found.begin(), found.end(), column) == found.end())
      return error_at(line, fmt::format("no column '{}'", column));
  }
  return std::monostate{};
}

struct Column {
  std::string name;
  std::size_t begin = 0, end = 0;  // `end` of the last one is the end of the line
};

// "----  -------" to its columns, nameless; none if the line is of something else.
std::vector<Column> columns_of(std::string_view dashes) {
  std::vector<Column> columns;
  if (dashes.find("--") == std::string_view::npos ||
      dashes.find_first_not_of("- ") != std::string_view::npos)
    return columns;
  for (std::size_t at = dashes.find('-'); at != std::string_view::npos;) {
    const std::size_t end = std::min(dashes.find(' ', at), dashes.size());
    columns.push_back({"", at, end});
    at = dashes.find('-', end);
  }
  columns.back().end = std::string_view::npos;
  return columns;
}

std::string_view cut(std::string_view line, const Column& column) {
  if (column.begin >= line.size()) return {};
  return trim(line.substr(column.begin, column.end - column.begin));
}

// Something stands between two columns.
bool crosses(std::string_view line, const std::vector<Column>& columns) {
  for (std::size_t index = 0; index < columns.size(); ++index) {
    const std::size_t from = index == 0 ? 0 : columns[index - 1].end;
    if (from >= line.size()) return false;
    const std::string_view between = line.substr(from, columns[index].begin - from);
    if (between.find_first_not_of(' ') != std::string_view::npos) return true;
  }
  return false;
}

// A row of a table, or what belongs to the row above.
Result<std::monostate> read_table_row(
    std::string_view line, std::size_t number, const std::vector<Column>& columns, Rows& rows) {
  if (crosses(line, columns)) return error_at(number, "a cell is wider than its column");
  EsxcliRow row;
  row.line = number;
  for (const Column& column : columns) {
    const std::string_view cell = cut(line, column);
    if (!cell.empty()) row.cells.emplace(column.name, cell);
  }
  if (row.cells.contains(columns.front().name)) {
    rows.push_back(std::move(row));
    return std::monostate{};
  }
  const auto last = row.cells.find(columns.back().name);
  if (rows.empty() || row.cells.size() != 1 || last == row.cells.end())
    return error_at(number, "a row without its first cell");
  std::string& above = rows.back().cells[columns.back().name];
  above += above.empty() ? "" : "\n";
  above += last->second;
  return std::monostate{};
}

Result<Rows> read_table(std::string_view text, const std::vector<std::string>& required) {
  const std::vector<std::string_view> lines = split_lines(text);
  std::vector<Column> columns;
  Rows rows;
  for (std::size_t index = 0; index < lines.size(); ++index) {
    const std::string_view line = lines[index];
    if (trim(line).empty()) continue;
    if (!columns.empty()) {
      FABRIC_TRY(read_table_row(line, index + 1, columns, rows));
      continue;
    }
    if (index + 1 < lines.size()) columns = columns_of(lines[index + 1]);
    if (columns.empty())
      return error_at(index + 1, "no line of dashes below: the columns are not known");
    if (crosses(line, columns)) return error_at(index + 1, "a heading is wider than its column");
    std::vector<std::string> names;
    for (Column& column : columns) {
      column.name = column_name(cut(line, column));
      names.push_back(column.name);
    }
    FABRIC_TRY(check_columns(names, required, index + 1));
    ++index;  // the dashes
  }
  if (columns.empty()) return error_at(1, "nothing was printed");
  return rows;
}

struct Record {
  std::vector<std::string> cells;
  std::size_t line = 1;
};

// More than any list has columns; one line of commas would take fifty times its size.
constexpr std::size_t kMostCells = 1'000;

// Comma-separated, quoted where a cell has commas, quotes or line ends.
class CsvReader {
 public:
  Result<std::vector<Record>> read(std::string_view text) {
    for (at_ = 0; at_ < text.size(); ++at_) {
      const char c = text[at_];
      if (quoted_) {
        read_quoted(text, c);
      } else if (c == '"') {
        quoted_ = true;
      } else if (c == ',') {
        end_cell();
      } else if (c == '\n') {
        end_record();
      } else if (c != '\r') {
        cell_ += c;
      }
      if (cells_.size() > kMostCells)
        return error_at(line_, fmt::format("expected at most {} cells", kMostCells));
      if (c == '\n') ++line_;
    }
    if (quoted_) return error_at(line_, "the text ends in the middle of a cell");
    end_record();
    return std::move(records_);
  }

 private:
  void read_quoted(std::string_view text, char c) {
    if (c != '"') {
      cell_ += c;
    } else if (at_ + 1 < text.size() && text[at_ + 1] == '"') {
      cell_ += '"';
      ++at_;
    } else {
      quoted_ = false;
    }
  }

  void end_cell() { cells_.push_back(std::exchange(cell_, {})); }

  void end_record() {
    if (cells_.empty() && trim(cell_).empty()) {
      cell_.clear();
    } else {
      end_cell();
      records_.push_back({std::exchange(cells_, {}), start_});
    }
    start_ = line_ + 1;
  }

  std::size_t at_ = 0;
  std::size_t line_ = 1, start_ = 1;  // of now, and of the record's beginning
  bool quoted_ = false;
  std::string cell_;
  std::vector<std::string> cells_;
  std::vector<Record> records_;
};

Result<Rows> read_csv(std::string_view text, const std::vector<std::string>& required) {
  const std::vector<Record> records = FABRIC_TRY(CsvReader{}.read(text));
  if (records.empty()) return error_at(1, "nothing was printed");
  std::vector<std::string> names;
  for (const std::string& heading : records.front().cells)
    names.push_back(column_name(trim(heading)));
  FABRIC_TRY(check_columns(names, required, records.front().line));
  Rows rows;
  for (std::size_t index = 1; index < records.size(); ++index) {
    const Record& record = records[index];
    if (record.cells.size() != names.size())
      return error_at(
          record.line, fmt::format("{} cells, expected {}", record.cells.size(), names.size()));
    EsxcliRow& row = rows.emplace_back();
    row.line = record.line;
    // The heading ends with a comma, so one column has no name.
    for (std::size_t cell = 0; cell < names.size(); ++cell) {
      if (!names[cell].empty()) row.cells.emplace(names[cell], trim(record.cells[cell]));
    }
  }
  return rows;
}

// "host, dpu" for a list of texts; nullopt for what no cell can be.
std::optional<std::string> cell_text(const Value& value) {
  if (const std::string* text = value.as_string()) return *text;
  if (value.as_integer() != nullptr || value.as_bool() != nullptr) return to_text(value);
  if (value.is_null()) return std::string{};
  const List* list = value.as_list();
  if (list == nullptr) return std::nullopt;
  std::vector<std::string> parts;
  for (const Value& item : *list) {
    if (item.as_string() == nullptr) return std::nullopt;
    parts.push_back(*item.as_string());
  }
  return join(parts, ", ");
}

Result<Rows> read_json_rows(std::string_view text, const std::vector<std::string>& required) {
  const Value document = FABRIC_TRY(parse_json(text));
  const List* list = document.as_list();
  if (list == nullptr) return error_at(1, "not a list");
  Rows rows;
  for (std::size_t index = 0; index < list->size(); ++index) {
    const Map* object = (*list)[index].as_map();
    if (object == nullptr) return error_at(1, fmt::format("item {}: no object", index + 1));
    EsxcliRow& row = rows.emplace_back();
    std::vector<std::string> names;
    for (const auto& [key, value] : *object) {
      const auto cell = cell_text(value);
      if (!cell) return error_at(1, fmt::format("item {}: '{}' is no text", index + 1, key));
      names.push_back(column_name(key));
      row.cells.insert_or_assign(names.back(), std::string{trim(*cell)});
    }
    FABRIC_TRY(check_columns(names, required, 1));
  }
  return rows;
}

}  // namespace

std::string_view EsxcliRow::cell(std::string_view column) const {
  const auto found = cells.find(column);
  return found == cells.end() ? std::string_view{} : std::string_view{found->second};
}

Result<std::vector<EsxcliRow>> read_esxcli_rows(
    std::string_view text, const std::vector<std::string>& required) {
  const std::string_view begin = trim(text);
  if (begin.starts_with('[') || begin.starts_with('{')) return read_json_rows(text, required);
  if (is_esxcli_keyvalue(begin)) return read_esxcli_keyvalue(text, required);
  const std::string_view heading = begin.substr(0, begin.find('\n'));
  if (heading.find(',') != std::string_view::npos) return read_csv(text, required);
  return read_table(text, required);
}

}  // namespace fabric::providers
