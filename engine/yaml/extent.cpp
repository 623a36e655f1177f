// SPDX-License-Identifier: Apache-2.0
#include "engine/yaml/extent.hpp"

#include <algorithm>

namespace fabric::yaml {

namespace {

constexpr std::string_view kSpace = " \t\r\n";
constexpr std::string_view kFlowIndicators = ",[]{}";

bool is_space(char c) {
  return kSpace.find(c) != std::string_view::npos;
}

std::uint32_t offset_of(std::size_t position, std::string_view text) {
  return static_cast<std::uint32_t>(std::min(position, text.size()));
}

std::optional<std::uint32_t> single_quoted_end(std::string_view text, std::uint32_t begin) {
  std::size_t at = begin + 1;
  while (at < text.size()) {
    if (text[at] != '\'') {
      ++at;
    } else if (at + 1 < text.size() && text[at + 1] == '\'') {
      at += 2;
    } else {
      return offset_of(at + 1, text);
    }
  }
  return std::nullopt;
}

std::optional<std::uint32_t> double_quoted_end(std::string_view text, std::uint32_t begin) {
  std::size_t at = begin + 1;
  while (at < text.size()) {
    if (text[at] == '"') return offset_of(at + 1, text);
    at += text[at] == '\\' ? 2U : 1U;
  }
  return std::nullopt;
}

// The end of a plain scalar. Over several lines it is folded, so runs of white space match.
std::uint32_t plain_end(std::string_view text, std::uint32_t begin, std::string_view value) {
  std::size_t at = begin;
  for (std::size_t i = 0; i < value.size();) {
    if (!is_space(value[i])) {
      if (at >= text.size() || text[at] != value[i]) break;
      ++at;
      ++i;
      continue;
    }
    while (i < value.size() && is_space(value[i]))
      ++i;
    while (at < text.size() && is_space(text[at]))
      ++at;
  }
  return offset_of(at, text);
}

std::size_t leading_spaces(std::string_view line) {
  return std::min(line.find_first_not_of(' '), line.size());
}

bool is_blank(std::string_view line) {
  return line.find_first_not_of(kSpace) == std::string_view::npos;
}

// The end of a | or > scalar: the last line that is indented as far as its first one.
std::uint32_t block_end(std::string_view text, std::uint32_t begin, std::string_view value) {
  std::size_t line_end = std::min(text.find('\n', begin), text.size());
  std::size_t end = line_end;
  const std::size_t content = value.find_first_not_of('\n');
  if (content == std::string_view::npos) return offset_of(end, text);
  const std::size_t inner_indentation = leading_spaces(value.substr(content));
  std::size_t indentation = std::string_view::npos;
  while (line_end < text.size()) {
    const std::size_t line_begin = line_end + 1;
    line_end = std::min(text.find('\n', line_begin), text.size());
    const std::string_view line = text.substr(line_begin, line_end - line_begin);
    if (is_blank(line)) continue;
    const std::size_t spaces = leading_spaces(line);
    if (indentation == std::string_view::npos) {
      // `|2` keeps blanks of its first line: they are part of the value, not of the indentation.
      indentation = spaces - std::min(spaces, inner_indentation);
    }
    if (spaces < indentation) break;
    end = line_end;
  }
  if (end > begin && text[end - 1] == '\r') --end;
  return offset_of(end, text);
}

}  // namespace

std::uint32_t word_end(std::string_view text, std::uint32_t begin) {
  std::size_t at = begin;
  while (at < text.size() && !is_space(text[at]) &&
         kFlowIndicators.find(text[at]) == std::string_view::npos) {
    ++at;
  }
  return offset_of(at, text);
}

std::uint32_t skip_properties(std::string_view text, std::uint32_t begin) {
  std::uint32_t at = begin;
  while (at < text.size() && (text[at] == '!' || text[at] == '&')) {
    at = skip_space(text, word_end(text, at));
  }
  return at;
}

std::optional<std::uint32_t> quoted_end(std::string_view text, std::uint32_t begin) {
  return text[begin] == '"' ? double_quoted_end(text, begin) : single_quoted_end(text, begin);
}

std::uint32_t scalar_end(std::string_view text, std::uint32_t begin, std::string_view value) {
  if (begin >= text.size()) return offset_of(begin, text);
  switch (text[begin]) {
    case '\'':
    case '"':
      return quoted_end(text, begin).value_or(offset_of(text.size(), text));
    case '|':
    case '>':
      return block_end(text, begin, value);
    default:
      return plain_end(text, begin, value);
  }
}

std::uint32_t skip_space(std::string_view text, std::uint32_t begin) {
  std::size_t at = begin;
  while (at < text.size()) {
    const bool comment = text[at] == '#' && (at == 0 || is_space(text[at - 1]));
    if (comment) {
      at = std::min(text.find('\n', at), text.size());
    } else if (is_space(text[at])) {
      ++at;
    } else {
      break;
    }
  }
  return offset_of(at, text);
}

std::uint32_t flow_collection_end(std::string_view text, std::uint32_t after_last_child) {
  std::uint32_t at = skip_space(text, after_last_child);
  while (at < text.size() && (text[at] == ',' || text[at] == ':' || text[at] == '?')) {
    at = skip_space(text, at + 1);
  }
  const bool closed = at < text.size() && (text[at] == ']' || text[at] == '}');
  return closed ? at + 1 : after_last_child;
}

std::uint32_t null_word_end(std::string_view text, std::uint32_t begin) {
  const std::string_view rest = text.substr(std::min<std::size_t>(begin, text.size()));
  for (const std::string_view word : {"~", "null", "Null", "NULL"}) {
    if (rest.substr(0, word.size()) == word) return begin + static_cast<std::uint32_t>(word.size());
  }
  return begin;
}

bool is_written_null(std::string_view text, std::uint32_t begin) {
  const std::uint32_t end = null_word_end(text, begin);
  if (end == begin) return false;
  const std::size_t next = text.find_first_not_of(" \t", end);
  return next == std::string_view::npos || text[next] != ':';
}

std::size_t tab_in_indentation(std::string_view text, std::uint32_t offset) {
  const std::size_t newline = offset == 0 ? std::string_view::npos : text.rfind('\n', offset - 1);
  const std::size_t line_begin = newline == std::string_view::npos ? 0 : newline + 1;
  const std::size_t first = text.find_first_not_of(" \t", line_begin);
  const std::size_t tab = text.substr(0, first).find('\t', line_begin);
  return tab;
}

}  // namespace fabric::yaml
