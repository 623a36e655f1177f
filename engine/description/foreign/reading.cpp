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

namespace {

constexpr std::size_t kPieceBytes = 4096;

std::size_t line_ends_in(std::string_view text) {
  return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
}

}  // namespace

LineNumbers::LineNumbers(std::string_view text) : text_{text} {
  std::size_t ends = 0;
  for (std::size_t at = 0; at <= text.size(); at += kPieceBytes) {
    line_ends_.push_back(ends);
    ends += line_ends_in(text.substr(at, kPieceBytes));
  }
}

std::size_t LineNumbers::of(std::size_t offset) const {
  const std::size_t piece = std::min(offset, text_.size()) / kPieceBytes;
  const std::size_t begin = piece * kPieceBytes;
  return line_ends_[piece] + line_ends_in(text_.substr(begin, offset - begin)) + 1;
}

Result<bool> LineReader::next() {
  if (rest_.empty()) return false;
  line_ = take_line(rest_);
  ++number_;
  if (line_.size() > limits::kForeignLineBytes)
    return refusal(
        number_, fmt::format("the line has more than {} bytes", limits::kForeignLineBytes));
  return true;
}

std::string_view take_word(std::string_view& rest) {
  constexpr std::string_view kBlanks = " \t";
  rest.remove_prefix(std::min(rest.find_first_not_of(kBlanks), rest.size()));
  const std::string_view word = rest.substr(0, rest.find_first_of(kBlanks));
  rest.remove_prefix(word.size());
  return word;
}

std::vector<std::string_view> first_words(std::string_view text, std::size_t most) {
  std::vector<std::string_view> words;
  while (words.size() < most) {
    const std::string_view word = take_word(text);
    if (word.empty()) break;
    words.push_back(word);
  }
  return words;
}

Result<yaml::Node> read_yaml(std::string_view text) {
  SourceMap sources;
  const FileId file = sources.add("", std::string{text});
  Diagnostics diagnostics;
  yaml::Node root =
      yaml::parse(sources, file, diagnostics, limits::kDocumentBytes, limits::kForeignTreeBytes);
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

// Behind the quote that begins it; a doubled quote stands for one.
Result<void> CsvReader::read_quoted(std::string& cell) {
  const std::size_t first = line_;
  for (; at_ < text_.size(); ++at_) {
    if (text_[at_] == '"' && text_.substr(at_, 2) != "\"\"") {
      ++at_;
      return {};
    }
    if (text_[at_] == '"') ++at_;
    if (text_[at_] == '\n') ++line_;
    cell += text_[at_];
  }
  return refusal(first, "a quote begins here and does not end");
}

// To the end of a line that ends it.
Result<CsvRow> CsvReader::read_row() {
  CsvRow row{{}, false, line_};
  std::string cell;
  const auto end_cell = [&] {
    row.cells.emplace_back(trim(cell));
    cell.clear();
  };
  while (at_ < text_.size() && text_[at_] != '\n') {
    const char c = text_[at_++];
    if (c == '#' && row.cells.empty() && cell.empty()) row.is_comment = true;
    if (c == '"' && trim(cell).empty()) {
      cell.clear();
      FABRIC_TRY(read_quoted(cell));
    } else if (c == ',') {
      end_cell();
      if (row.cells.size() == limits::kForeignColumns)
        return refusal(line_, fmt::format("more than {} columns", limits::kForeignColumns));
    } else {
      cell += c;
    }
  }
  ++at_;
  ++line_;
  end_cell();
  return row;
}

Result<std::optional<CsvRow>> CsvReader::next() {
  while (at_ < text_.size()) {
    CsvRow row = FABRIC_TRY(read_row());
    const bool is_empty = std::all_of(
        row.cells.begin(), row.cells.end(), [](const std::string& each) { return each.empty(); });
    if (!is_empty) return std::optional{std::move(row)};
  }
  return std::optional<CsvRow>{};
}

Result<Cabling> cabling_of(const std::function<Result<void>(Cabling&)>& read) {
  Cabling checked{false};
  FABRIC_TRY(read(checked));
  Cabling kept{true};
  FABRIC_TRY(read(kept));
  return kept;
}

Result<Description> described(const Cabling& cabling, const std::string& mode) {
  if (cabling.cables.empty() && cabling.devices.empty())
    return refusal(1, "there is neither a device nor a cable in it");
  return describe(cabling, mode);
}

}  // namespace fabric::description
