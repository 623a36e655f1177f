#include "engine/report/explain_text.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "engine/report/diagnostic_place.hpp"

namespace fabric::report {

namespace {

constexpr std::size_t kLabelColumns = 10;
// Wider cells go on over the columns behind them.
constexpr std::size_t kNameColumns = 34;
constexpr std::size_t kValueColumns = 26;
constexpr std::size_t kPlaceColumns = 20;
// The origin is never squeezed into less.
constexpr std::size_t kOriginColumns = 20;

std::string field(std::string_view label, std::string_view text, const Style& style) {
  return paint(style, Colour::bold, pad(label, kLabelColumns)) +
         hang(text, style.width, kLabelColumns) + '\n';
}

// What all paths begin with, up to a '.' or ' ' that ends a name; "" for a single short name.
std::string common_title(const std::vector<Provenance>& values) {
  std::string_view common = values.front().path;
  for (const Provenance& value : values) {
    const auto differ =
        std::mismatch(common.begin(), common.end(), value.path.begin(), value.path.end());
    common = common.substr(0, static_cast<std::size_t>(differ.first - common.begin()));
  }
  const std::size_t end = common.find_last_of(". ");
  return std::string{common.substr(0, end == std::string_view::npos ? 0 : end)};
}

struct Row {
  std::string name, value, place, origin;
};

std::string place_text(const SourceMap& sources, const SourceRange& range) {
  const Place place = place_of(sources, range);
  return place.known ? fmt::format("{}:{}", place.path, place.begin.line) : "-";
}

std::size_t column_width(const std::vector<Row>& rows, std::string Row::*cell, std::size_t widest) {
  std::size_t width = 0;
  for (const Row& row : rows)
    width = std::max(width, columns(row.*cell));
  return std::min(width, widest);
}

// Appends the cell and goes on at the next column's start, on a line of its own if the cell is too
// wide for its column.
void append_cell(
    std::string& text, const std::string& cell, std::size_t width, std::size_t next_column) {
  text += pad(cell, width);
  if (columns(cell) > width) {
    text += '\n' + std::string(next_column, ' ');
  } else {
    text += "  ";
  }
}

}  // namespace

std::string rule_text(const RuleInfo& rule, const Style& style) {
  return fmt::format(
             "{} ({}, stage {})\n",
             paint(style, Colour::bold, rule.slug),
             to_string(rule.severity),
             to_string(rule.stage)) +
         field("why", rule.reason, style) + field("evidence", rule.evidence, style) +
         field("fix", rule.fix, style);
}

Map rule_value(const RuleInfo& rule) {
  return {
      {"rule", rule.slug},
      {"severity", to_string(rule.severity)},
      {"stage", to_string(rule.stage)},
      {"reason", rule.reason},
      {"evidence", rule.evidence},
      {"fix", rule.fix}};
}

std::string provenance_text(
    const std::vector<Provenance>& values, const SourceMap& sources, const Style& style) {
  if (values.empty()) return {};
  const std::string title = common_title(values);
  const std::size_t begin = title.empty() ? 0 : title.size() + 1;
  std::vector<Row> rows;
  for (const Provenance& value : values) {
    rows.push_back(
        {printable(value.path.substr(begin)),
         printable(value.value),
         place_text(sources, value.range),
         printable(value.origin)});
  }
  const std::size_t indent = title.empty() ? 0 : 2;
  const std::size_t name = column_width(rows, &Row::name, kNameColumns);
  const std::size_t value = column_width(rows, &Row::value, kValueColumns);
  const std::size_t place = column_width(rows, &Row::place, kPlaceColumns);
  const std::size_t value_column = indent + name + 2;
  const std::size_t place_column = value_column + value + 2;
  const std::size_t origin_column = place_column + place + 2;
  const std::size_t width = std::max(style.width, origin_column + kOriginColumns);
  std::string text;
  if (!title.empty()) text = paint(style, Colour::bold, printable(title)) + '\n';
  for (const Row& row : rows) {
    text.append(indent, ' ');
    append_cell(text, row.name, name, value_column);
    append_cell(text, hang(row.value, width, value_column), value, place_column);
    append_cell(text, row.place, place, origin_column);
    text += hang(row.origin, width, origin_column) + '\n';
  }
  return text;
}

Map provenance_value(const Provenance& value, const SourceMap& sources) {
  Map map{{"path", value.path}, {"value", value.value}, {"origin", value.origin}};
  const Place place = place_of(sources, value.range);
  if (place.known) {
    map.emplace("file", place.path);
    map.emplace("line", place.begin.line);
    map.emplace("column", place.begin.column);
  }
  return map;
}

}  // namespace fabric::report
