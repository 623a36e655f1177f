// SPDX-License-Identifier: Apache-2.0
#include "engine/report/diagnostics/explain.hpp"

#include <algorithm>

#include "engine/report/diagnostics/place.hpp"

namespace fabric::report {

namespace {

constexpr std::size_t kLabelColumns = 10;
// The least width of the origins: for it, values, then names, wrap to a line of their own.
constexpr std::size_t kOriginColumns = 14;
constexpr std::size_t kNarrowestValue = 18;
constexpr std::size_t kNarrowestName = 28;
constexpr std::size_t kGap = 2;

Text field(const Text& label, const Text& text, const Style& style) {
  return paint(style, Colour::bold, pad(label, kLabelColumns)) +
         hang(text, style.width, kLabelColumns) + "\n";
}

// The common start of all paths, up to a '.' or ' ' after a name; "" for a single short name.
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
  Text name, value, place, origin;
};

Text place_text(const SourceMap& sources, const SourceRange& range) {
  const Place place = place_of(sources, range);
  return place.known ? compose("{}:{}", place.path, place.begin.line) : "-";
}

struct Widths {
  std::size_t name = 0, value = 0, place = 0;

  std::size_t before_origin(std::size_t indent) const {
    return indent + name + value + place + 3 * kGap;
  }
};

Widths widths_of(const std::vector<Row>& rows, std::size_t indent, const Style& style) {
  Widths widths;
  for (const Row& row : rows) {
    widths.name = std::max(widths.name, columns(row.name));
    widths.value = std::max(widths.value, columns(row.value));
    widths.place = std::max(widths.place, columns(row.place));
  }
  const auto squeeze = [&](std::size_t& width, std::size_t narrowest) {
    const std::size_t wanted = widths.before_origin(indent) + kOriginColumns;
    if (wanted <= style.width || width <= narrowest) return;
    width -= std::min(wanted - style.width, width - narrowest);
  };
  squeeze(widths.value, kNarrowestValue);
  squeeze(widths.name, kNarrowestName);
  return widths;
}

// Appends the cell and continues at the next column's start, on a line of its own if the cell is
// too wide for its column.
void append_cell(Text& text, const Text& cell, std::size_t width, std::size_t next_column) {
  text += pad(cell, width);
  if (columns(cell) > width) {
    text += "\n" + Text::blanks(next_column);
  } else {
    text += "  ";
  }
}

}  // namespace

Text rule_text(const RuleInfo& rule, const Style& style) {
  return compose(
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

Text provenance_text(
    const std::vector<Provenance>& values, const SourceMap& sources, const Style& style) {
  if (values.empty()) return {};
  const std::string title = common_title(values);
  const std::size_t begin = title.empty() ? 0 : title.size() + 1;
  std::vector<Row> rows;
  for (const Provenance& value : values) {
    rows.push_back(
        {value.path.substr(begin), value.value, place_text(sources, value.range), value.origin});
  }
  const std::size_t indent = title.empty() ? 0 : 2;
  const Widths widths = widths_of(rows, indent, style);
  const std::size_t value_column = indent + widths.name + kGap;
  const std::size_t place_column = value_column + widths.value + kGap;
  const std::size_t origin_column = place_column + widths.place + kGap;
  Text text;
  if (!title.empty()) text = paint(style, Colour::bold, title) + "\n";
  for (const Row& row : rows) {
    text += Text::blanks(indent);
    append_cell(text, row.name, widths.name, value_column);
    append_cell(text, hang(row.value, style.width, value_column), widths.value, place_column);
    append_cell(text, row.place, widths.place, origin_column);
    text += hang(row.origin, style.width, origin_column) + "\n";
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
