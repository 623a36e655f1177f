// SPDX-License-Identifier: Apache-2.0
#include "engine/description/foreign/reading.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "engine/base/diagnostic.hpp"
#include "engine/base/limits.hpp"
#include "engine/base/text.hpp"
#include "engine/yaml/parse.hpp"

namespace fabric::description {

Error refusal(std::size_t line, std::string message) {
  return {ErrorCode::invalid, fmt::format("line {}: {}", line, message)};
}

Lines::Lines(std::string_view text) {
  for (std::size_t at = text.find('\n'); at != std::string_view::npos; at = text.find('\n', at + 1))
    ends_.push_back(at);
}

std::size_t Lines::of(std::size_t offset) const {
  const auto end = std::lower_bound(ends_.begin(), ends_.end(), offset);
  return static_cast<std::size_t>(end - ends_.begin()) + 1;
}

Result<yaml::Node> read_yaml(std::string_view text) {
  SourceMap sources;
  const FileId file = sources.add("", std::string{text});
  Diagnostics diagnostics;
  yaml::Node root = yaml::parse(sources, file, diagnostics);
  diagnostics.sort();
  for (const Diagnostic& found : diagnostics.items()) {
    if (found.severity != Severity::error) continue;
    return refusal(sources.position(file, found.range.begin).line, found.message);
  }
  return root;
}

bool is_host_text(std::string_view text) {
  constexpr std::size_t kLongest = 253;
  const auto good = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           std::string_view{".:_-"}.find(c) != std::string_view::npos;
  };
  const bool begins_well =
      !text.empty() && std::string_view{".:-"}.find(text.front()) == std::string_view::npos;
  return begins_well && text.size() <= kLongest && std::all_of(text.begin(), text.end(), good);
}

namespace {

// Adds the character at `at` of a quoted cell; of a doubled quote, which stands for one, `at` moves
// to the second. False where the quote ends.
bool add_quoted(std::string_view text, std::size_t& at, std::string& cell) {
  const bool is_doubled = text.substr(at, 2) == "\"\"";
  if (text[at] == '"' && !is_doubled) return false;
  cell += text[at];
  if (is_doubled) ++at;
  return true;
}

}  // namespace

Result<std::vector<CsvRow>> read_csv(std::string_view text) {
  std::vector<CsvRow> rows;
  CsvRow row;
  std::string cell;
  bool quoted = false;
  std::size_t line = 1;
  std::size_t quote_line = 1;
  const auto end_row = [&] {
    row.cells.emplace_back(trim(cell));
    cell.clear();
    const bool is_empty = std::all_of(
        row.cells.begin(), row.cells.end(), [](const std::string& each) { return each.empty(); });
    if (!is_empty) rows.push_back(std::move(row));
    row = CsvRow{{}, false, line + 1};
  };
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '#' && row.cells.empty() && cell.empty() && !quoted) row.is_comment = true;
    if (quoted) {
      quoted = add_quoted(text, i, cell);
    } else if (c == '"' && trim(cell).empty()) {
      quoted = true;
      quote_line = line;
      cell.clear();
    } else if (c == ',') {
      row.cells.emplace_back(trim(cell));
      cell.clear();
    } else if (c == '\n') {
      end_row();
    } else {
      cell += c;
    }
    if (c == '\n') ++line;
  }
  if (quoted) return refusal(quote_line, "a quote begins here and does not end");
  end_row();
  return rows;
}

Result<Description> described(const Cabling& cabling, const std::string& mode) {
  if (cabling.cables.size() > limits::kCables)
    return refusal(cabling.cables.back().line, fmt::format("more than {} cables", limits::kCables));
  if (cabling.cables.empty() && cabling.devices.empty())
    return refusal(1, "there is neither a device nor a cable in it");
  Description found = describe(cabling, mode);
  if (found.nodes.size() > limits::kNodes)
    return refusal(1, fmt::format("more than {} devices", limits::kNodes));
  return found;
}

}  // namespace fabric::description
