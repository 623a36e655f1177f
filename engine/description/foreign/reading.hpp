// SPDX-License-Identifier: Apache-2.0
// Common code of all parsers of foreign files: refusals with their line, lines and words, YAML
// trees, CSV rows.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/result.hpp"
#include "engine/description/foreign/cabling.hpp"
#include "engine/yaml/node.hpp"

namespace fabric::description {

// "line N: message"
Error refusal(std::size_t line, std::string message);

// Finds the line of a byte of a text (from 1). REQUIRES: the text outlives this.
class LineNumbers {
 public:
  explicit LineNumbers(std::string_view text);
  std::size_t of(std::size_t offset) const;

 private:
  std::string_view text_;
  std::vector<std::size_t> line_ends_;  // before each piece of the text
};

// Reads line by line, as take_line(). No person or program writes longer lines than
// limits::kForeignLineBytes; such a file is refused before its words are split.
class LineReader {
 public:
  explicit LineReader(std::string_view text) : rest_{text} {}
  // False at the end of the text.
  Result<bool> next();
  std::string_view line() const { return line_; }
  std::size_t number() const { return number_; }

 private:
  std::string_view rest_, line_;
  std::size_t number_ = 0;
};

// Takes the first word of `rest`, split as by split_words, off `rest`; "" if there is none.
std::string_view take_word(std::string_view& rest);
// The first `most` words of the text; a caller asks for one more than its format allows.
std::vector<std::string_view> first_words(std::string_view text, std::size_t most);

// A YAML file of another program, read as documents are: no anchors, no tags, no duplicate keys.
// Fails with the first problem, and if the tree would have more than limits::kForeignTreeBytes.
Result<yaml::Node> read_yaml(std::string_view text);

// True for a name or address of a host that is nothing more to a shell, YAML or a node set.
bool is_host_text(std::string_view text);

struct CsvRow {
  std::vector<std::string> cells;  // trimmed
  bool is_comment = false;         // its line begins with '#'
  std::size_t line = 1;
};
// Reads CSV by RFC 4180; rows with only empty cells are left out.
class CsvReader {
 public:
  explicit CsvReader(std::string_view text) : text_{text} {}
  // Nullopt at the end. Fails on a quote that does not end, and on more cells than
  // limits::kForeignColumns.
  Result<std::optional<CsvRow>> next();

 private:
  Result<CsvRow> read_row();
  Result<void> read_quoted(std::string& cell);

  std::string_view text_;
  std::size_t at_ = 0;
  std::size_t line_ = 1;
};

// The cabling that `read` fills in; `read` fails if the text has another format. It is called
// twice: first only to count, so that a text is refused before any of it is kept.
Result<Cabling> cabling_of(const std::function<Result<void>(Cabling&)>& read);

// As describe(), within the limits of a document. Fails without cables and devices.
Result<Description> described(const Cabling& cabling, const std::string& mode);

}  // namespace fabric::description
