// SPDX-License-Identifier: Apache-2.0
#include "providers/parsers/mlxconfig_query.hpp"

#include <algorithm>
#include <array>
#include <set>

#include <fmt/format.h>

#include "engine/base/text.hpp"
#include "engine/value/lists.hpp"

namespace fabric::providers {

namespace {

constexpr std::string_view kHeader = "Configurations:";

enum class Column : std::uint8_t { default_value, current, next_boot, requested };

bool is_letter_or_digit(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

bool all_of(std::string_view text, std::string_view others) {
  return std::ranges::all_of(text, [others](char c) {
    return is_letter_or_digit(c) || others.find(c) != std::string_view::npos;
  });
}

// "NAME", "NAME[3]", "NAME[0..7]"
bool is_parameter_name(std::string_view text) {
  const std::size_t bracket = text.find('[');
  const std::string_view name = text.substr(0, bracket);
  if (name.empty() || !all_of(name, "_")) return false;
  if (bracket == std::string_view::npos) return true;
  const std::string_view index = text.substr(bracket + 1);
  return index.size() >= 2 && index.back() == ']' &&
         all_of(index.substr(0, index.size() - 1), ".") && index.front() != '.';
}

// "ETH(2)", "8", "0x1f", "N/A", "Array[0..7]"; not "%s", "..." or "%s(0)".
bool is_value(std::string_view text) {
  if (text.starts_with("Array[")) return is_parameter_name(text);
  std::string_view name = text;
  if (const std::size_t open = text.find('('); open != std::string_view::npos) {
    if (!setting_number(text)) return false;
    name = text.substr(0, open);
  }
  return all_of(name, "_-+./:,") && std::ranges::any_of(name, is_letter_or_digit);
}

// Lines that end a table.
bool ends_table(std::string_view line) {
  constexpr std::array<std::string_view, 9> kStarts{
      "The '*' shows",
      "The 'RO' shows",
      "Device Firmware does not",
      "Device #",
      "-E-",
      "-W-",
      "-I-",
      "Apply new",
      "Applying"};
  return std::ranges::any_of(
      kStarts, [line](std::string_view start) { return line.starts_with(start); });
}

bool is_note(std::string_view line) {
  return ends_table(line) && !line.starts_with("Device #") && !line.starts_with("Apply");
}

class MlxconfigQueryReader {
 public:
  Result<SettingsQuery> read(std::string_view text) {
    for (const std::string_view line : split_lines(text)) {
      ++number_;
      if (std::optional<Error> failure = read_line(line)) return *std::move(failure);
    }
    if (in_table_ && query_.tables.back().rows.empty())
      return at(header_line_, "the table has no rows");
    // A header and then an error: nothing is known of that device, and no other device may replace
    // it.
    const bool is_empty = std::ranges::any_of(
        query_.tables, [](const SettingsTable& table) { return table.rows.empty(); });
    if (is_empty) return no_table();
    // A heading without a table: that device could not be read.
    if (query_.tables.empty()) return no_table();
    return std::move(query_);
  }

 private:
  static Error at(std::size_t line, std::string_view what) {
    return {ErrorCode::invalid, fmt::format("line {}: {}", line, what)};
  }

  Error no_table() const {
    if (first_error_line_ != 0) {
      return at(
          first_error_line_, fmt::format("no table of settings; the tool says: {}", first_error_));
    }
    return at(
        std::max<std::size_t>(number_, 1),
        "no table of settings: no line starts with 'Configurations:'");
  }

  std::optional<Error> read_line(std::string_view raw) {
    const std::string_view line = trim(raw);
    if (line.starts_with(kHeader)) return open_table(line);
    if (in_table_) {
      // Some versions leave a line free below the header.
      if (line.empty()) {
        in_table_ = query_.tables.back().rows.empty();
        return std::nullopt;
      }
      if (!ends_table(line)) return read_row(line);
      if (query_.tables.back().rows.empty() && !line.starts_with("-E-")) {
        return at(header_line_, "the table has no rows");
      }
      in_table_ = false;
    }
    read_outside(raw, line);
    return std::nullopt;
  }

  std::optional<Error> open_table(std::string_view line) {
    header_line_ = number_;
    columns_.clear();
    // The tool pads the columns. What has lost its blanks has been through something that may have
    // lost more.
    const std::string_view columns = line.substr(kHeader.size());
    if (!columns.empty() && !columns.starts_with("  "))
      return at(number_, "the blanks between the columns are lost");
    const std::vector<std::string_view> words = split_words(line);
    for (std::size_t at_word = 1; at_word < words.size(); ++at_word) {
      const std::string_view word = words[at_word];
      const bool next =
          word == "Next" && at_word + 1 < words.size() && words[at_word + 1] == "Boot";
      std::optional<Column> column;
      if (word == "Default") column = Column::default_value;
      if (word == "Current") column = Column::current;
      if (word == "New") column = Column::requested;
      if (next) column = Column::next_boot;
      if (!column) return at(number_, fmt::format("the header has an unknown column '{}'", word));
      if (std::find(columns_.begin(), columns_.end(), *column) != columns_.end()) {
        return at(number_, fmt::format("the header has the column '{}' twice", word));
      }
      columns_.push_back(*column);
      if (next) ++at_word;
    }
    if (columns_.empty()) return at(number_, "expected columns in the header");
    const auto has = [this](Column column) {
      return std::find(columns_.begin(), columns_.end(), column) != columns_.end();
    };
    heading_.has_default = has(Column::default_value);
    heading_.has_current = has(Column::current);
    heading_.has_next_boot = has(Column::next_boot);
    query_.tables.push_back(std::move(heading_));
    heading_ = {};
    names_.clear();
    in_table_ = true;
    return std::nullopt;
  }

  std::optional<Error> read_row(std::string_view line) {
    SettingRow row;
    if (line.starts_with('*')) {
      row.marked = true;
      line.remove_prefix(1);
    }
    std::vector<std::string_view> words = split_words(line);
    if (words.size() == columns_.size() + 2 && words.front() == "RO") {
      row.read_only = true;
      words.erase(words.begin());
    }
    if (words.size() != columns_.size() + 1) {
      return at(
          number_,
          fmt::format(
              "expected a parameter and {} value{}, found {} word{}: '{}'",
              columns_.size(),
              columns_.size() == 1 ? "" : "s",
              words.size(),
              words.size() == 1 ? "" : "s",
              trim(line)));
    }
    if (!is_parameter_name(words.front())) {
      return at(number_, fmt::format("'{}' is not the name of a parameter", words.front()));
    }
    row.name = std::string{words.front()};
    if (!names_.insert(row.name).second)
      return at(number_, fmt::format("{} stands twice", row.name));
    for (std::size_t index = 0; index < columns_.size(); ++index) {
      const std::string_view value = words[index + 1];
      if (!is_value(value)) {
        return at(number_, fmt::format("'{}' is not a value of {}", value, row.name));
      }
      cell(row, columns_[index]) = std::string{value};
    }
    query_.tables.back().rows.push_back(std::move(row));
    return std::nullopt;
  }

  static std::optional<std::string>& cell(SettingRow& row, Column column) {
    switch (column) {
      case Column::default_value:
        return row.default_value;
      case Column::current:
        return row.current;
      case Column::next_boot:
        return row.next_boot;
      case Column::requested:
        break;
    }
    return row.requested;
  }

  void read_outside(std::string_view raw, std::string_view line) {
    if (is_note(line)) {
      if (line.starts_with("-E-") && first_error_line_ == 0) {
        first_error_line_ = number_;
        first_error_ = std::string{line};
      }
      query_.notes.emplace_back(line);
      in_note_ = true;
      return;
    }
    // "-E- Failed to query some of the TLVs:" continues in indented lines.
    const bool indented = !line.empty() && raw.front() != line.front();
    if (in_note_ && indented && !line.starts_with("Apply")) {
      query_.notes.back() += " " + std::string{line};
      return;
    }
    in_note_ = false;
    if (line.starts_with("Device #")) heading_ = {};
    const std::size_t colon = line.find(':');
    if (colon == std::string_view::npos) return;
    const std::string_view key = line.substr(0, colon);
    const std::string value{trim(line.substr(colon + 1))};
    if (key == "Device type") heading_.device_type = value;
    if (key == "Name") heading_.name = value;
    if (key == "Description") heading_.description = value;
    if (key == "Device" || key == "PCI device") heading_.device = value;
  }

  SettingsQuery query_;
  SettingsTable heading_;  // of the table to come
  std::vector<Column> columns_;
  std::set<std::string, std::less<>> names_;
  bool in_table_ = false;
  bool in_note_ = false;
  std::size_t number_ = 0;
  std::size_t header_line_ = 0;
  std::size_t first_error_line_ = 0;
  std::string first_error_;
};

Value row_value(const SettingRow& row) {
  Map value{{"marked", row.marked}, {"read_only", row.read_only}};
  const auto put = [&value](const char* key, const std::optional<std::string>& cell) {
    if (!cell) return;
    const std::optional<std::int64_t> number = setting_number(*cell);
    value.emplace(key, Map{{"text", *cell}, {"number", number ? Value{*number} : Value{}}});
  };
  put("default", row.default_value);
  put("current", row.current);
  put("next_boot", row.next_boot);
  put("new", row.requested);
  return value;
}

}  // namespace

const SettingRow* SettingsTable::find(std::string_view parameter) const {
  const auto found = std::ranges::find_if(
      rows, [parameter](const SettingRow& row) { return row.name == parameter; });
  return found == rows.end() ? nullptr : &*found;
}

Result<SettingsQuery> parse_mlxconfig_query(std::string_view text) {
  return MlxconfigQueryReader{}.read(text);
}

std::string failure_of(const SettingsQuery& query) {
  const auto failure = std::ranges::find_if(
      query.notes, [](const std::string& note) { return note.starts_with("-E-"); });
  return failure == query.notes.end() ? std::string{} : *failure;
}

std::optional<std::int64_t> setting_number(std::string_view value) {
  std::string_view digits = value;
  if (const std::size_t open = value.find('('); open != std::string_view::npos) {
    if (value.back() != ')') return std::nullopt;
    digits = value.substr(open + 1, value.size() - open - 2);
  }
  int base = 10;
  if (digits.starts_with("0x") || digits.starts_with("0X")) {
    digits.remove_prefix(2);
    base = 16;
  }
  const std::optional<std::uint64_t> number = parse_unsigned(digits, base);
  if (!number || *number > static_cast<std::uint64_t>(INT64_MAX)) return std::nullopt;
  return static_cast<std::int64_t>(*number);
}

std::string_view setting_name(std::string_view value) {
  const std::size_t open = value.find('(');
  return open == std::string_view::npos ? std::string_view{} : value.substr(0, open);
}

Value to_value(const SettingsQuery& query) {
  List devices;
  for (const SettingsTable& table : query.tables) {
    Map parameters;
    for (const SettingRow& row : table.rows)
      parameters.emplace(row.name, row_value(row));
    List columns;
    if (table.has_default) columns.emplace_back("default");
    if (table.has_current) columns.emplace_back("current");
    if (table.has_next_boot) columns.emplace_back("next_boot");
    devices.emplace_back(
        Map{{"device_type", table.device_type},
            {"name", table.name},
            {"description", table.description},
            {"device", table.device},
            {"columns", std::move(columns)},
            {"parameters", std::move(parameters)}});
  }
  return Map{{"devices", std::move(devices)}, {"notes", to_list(query.notes)}};
}

}  // namespace fabric::providers
