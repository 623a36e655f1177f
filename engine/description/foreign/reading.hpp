// SPDX-License-Identifier: Apache-2.0
// What all parsers of foreign files share: refusals with their line, lines and words, YAML trees,
// CSV rows.
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

// On which line a byte of a text stands (from 1). REQUIRES: the text lives as long.
class LineNumbers {
 public:
  explicit LineNumbers(std::string_view text);
  std::size_t of(std::size_t offset) const;

 private:
  std::string_view text_;
  std::vector<std::size_t> line_ends_;  // before each piece of the text
};

// Line by line, as take_line(). Nothing that a person or a program writes has longer lines than
// limits::kForeignLineBytes; such a file is refused before its words are taken apart.
class LineReader {
 public:
  explicit LineReader(std::string_view text) : rest_{text} {}
  // False: there is none any more.
  Result<bool> next();
  std::string_view line() const { return line_; }
  std::size_t number() const { return number_; }

 private:
  std::string_view rest_, line_;
  std::size_t number_ = 0;
};

// The first word of `rest` as split_words tells it, and `rest` behind it; "" if there is none.
std::string_view take_word(std::string_view& rest);
// At most so many words of the text, one more than a form has tells that it is none.
std::vector<std::string_view> first_words(std::string_view text, std::size_t most);

// A YAML file of another program, by the reader of documents: no anchors, no tags, no duplicate
// keys. Fails with the first problem, and where the tree would have more than
// limits::kForeignTreeBytes.
Result<yaml::Node> read_yaml(std::string_view text);

// A name or address of a host, and nothing that a shell, YAML or a node set could take for more.
bool is_host_text(std::string_view text);

struct CsvRow {
  std::vector<std::string> cells;  // trimmed
  bool is_comment = false;         // its line begins with '#'
  std::size_t line = 1;
};
// RFC 4180; rows of nothing but empty cells are left out.
class CsvReader {
 public:
  explicit CsvReader(std::string_view text) : text_{text} {}
  // Nullopt: there is none any more. Fails on a quote that does not end, and on more cells than
  // limits::kForeignColumns.
  Result<std::optional<CsvRow>> next();

 private:
  Result<CsvRow> read_row();
  Result<void> read_quoted(std::string& cell);

  std::string_view text_;
  std::size_t at_ = 0;
  std::size_t line_ = 1;
};

// What `read` finds, which is given the cabling to fill and fails where the text is not of its
// form. It reads twice: what is refused is refused before anything of it is kept.
Result<Cabling> cabling_of(const std::function<Result<void>(Cabling&)>& read);

// As describe(), within the limits of a document. Fails where there are no cables and no devices.
Result<Description> described(const Cabling& cabling, const std::string& mode);

}  // namespace fabric::description
