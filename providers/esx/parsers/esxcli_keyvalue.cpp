// SPDX-License-Identifier: Apache-2.0
#include "providers/esx/parsers/esxcli_keyvalue.hpp"

#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "engine/base/text.hpp"
#include "providers/parsers/lines.hpp"

namespace fabric::providers {

namespace {

constexpr std::string_view kStructure = "structure[";

// "structure[3].Nic.Uplinks[1].string=vmnic4"
struct Line {
  std::size_t structure = 0;
  std::string field;  // "uplinks"
  bool in_list = false;
  std::string_view value;
};

bool is_name(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  });
}

// "[12]" at the end of `text`, taken off; nullopt if there is none.
std::optional<std::size_t> take_index(std::string_view& text) {
  const std::size_t open = text.rfind('[');
  if (open == std::string_view::npos || !text.ends_with(']')) return std::nullopt;
  const auto index = parse_unsigned(text.substr(open + 1, text.size() - open - 2), 10);
  if (!index) return std::nullopt;
  text = text.substr(0, open);
  return static_cast<std::size_t>(*index);
}

// A single structure has no "structure[0]." before its name: "VersionGet.Version.string=8.0.3".
std::optional<Line> line_of(std::string_view text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string_view::npos) return std::nullopt;
  std::vector<std::string_view> parts = split(text.substr(0, equals), '.');
  Line line;
  if (!parts.empty() && parts.front().starts_with(kStructure)) {
    const auto index = take_index(parts.front());
    if (!index) return std::nullopt;
    line.structure = *index;
    parts.erase(parts.begin());
  }
  if (parts.size() != 3) return std::nullopt;
  line.in_list = take_index(parts[1]).has_value() || take_index(parts[2]).has_value();
  if (!std::all_of(parts.begin(), parts.end(), is_name)) return std::nullopt;
  line.field = to_lower(parts[1]);
  line.value = trim(text.substr(equals + 1));
  return line;
}

class EsxcliKeyvalueReader {
 public:
  Result<std::vector<EsxcliRow>> read(
      std::string_view text, const std::vector<std::string>& required) {
    std::size_t number = 0;
    for (const std::string_view each : split_lines(text)) {
      ++number;
      if (trim(each).empty()) continue;
      const auto line = line_of(each);
      if (!line)
        return error_at(
            number, fmt::format("expected TYPE.FIELD.DATATYPE=VALUE, found '{}'", trim(each)));
      FABRIC_TRY(take(*line, number));
    }
    for (const EsxcliRow& row : rows_) {
      for (const std::string& column : required) {
        if (!row.cells.contains(column))
          return error_at(row.line, fmt::format("a structure without '{}'", column));
      }
    }
    return std::move(rows_);
  }

 private:
  Result<std::monostate> take(const Line& line, std::size_t number) {
    if (line.structure == rows_.size()) {
      rows_.emplace_back().line = number;
    } else if (line.structure + 1 != rows_.size()) {
      return error_at(number, fmt::format("structure {} is out of order", line.structure));
    }
    EsxcliRow& row = rows_.back();
    const auto [cell, added] = row.cells.emplace(line.field, line.value);
    if (added) return std::monostate{};
    if (!line.in_list) return error_at(number, fmt::format("'{}' is there twice", line.field));
    cell->second += fmt::format(", {}", line.value);
    return std::monostate{};
  }

  std::vector<EsxcliRow> rows_;
};

}  // namespace

bool is_esxcli_keyvalue(std::string_view text) {
  return trim(text).starts_with(kStructure);
}

Result<std::vector<EsxcliRow>> read_esxcli_keyvalue(
    std::string_view text, const std::vector<std::string>& required) {
  return EsxcliKeyvalueReader{}.read(text, required);
}

}  // namespace fabric::providers
