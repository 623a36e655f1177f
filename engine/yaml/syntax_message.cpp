// SPDX-License-Identifier: Apache-2.0
#include "engine/yaml/syntax_message.hpp"

#include <algorithm>
#include <array>
#include <optional>

#include <fmt/format.h>

#include "engine/yaml/extent.hpp"

namespace fabric::yaml {

namespace {

constexpr std::string_view kRule = "yaml-syntax";

struct Meaning {
  std::string_view yaml_cpp;  // how its message begins
  std::string_view message;
  std::string_view help;
};

constexpr std::array kMeanings{
    Meaning{
        "illegal map value",
        "a ':' cannot stand here",
        "quote a text that holds ': ', and check the indentation of this line and the one above"},
    Meaning{
        "end of map not found",
        "unexpected text in a mapping",
        "keys of one mapping start in one column; quote a text that brackets or quotes are part "
        "of"},
    Meaning{
        "end of sequence not found",
        "unexpected text in a list",
        "items of one list start with '- ' in one column"},
    Meaning{"end of map flow not found", "',' or '}' expected", ""},
    Meaning{"end of sequence flow not found", "',' or ']' expected", ""},
    Meaning{"illegal flow end", "a closing bracket without an opening one", ""},
    Meaning{
        "illegal block entry",
        "a list item cannot start here",
        "start the list on a line of its own; quote a text that starts with '- '"},
    Meaning{"illegal map key", "a key cannot start here", "quote a text that starts with '? '"},
    Meaning{"unknown token", "a plain text cannot start with this character", "quote it"},
    Meaning{"illegal EOF in scalar", kOpenQuoteMessage, ""},
    Meaning{"illegal document indicator in scalar", "'---' or '...' within quotes", ""},
    Meaning{"illegal tab when looking for indentation", kTabMessage, "use spaces"},
    Meaning{
        "unknown escape character",
        "unknown escape in double quotes",
        "use single quotes where a backslash is meant as such"},
    Meaning{
        "bad character found while scanning hex number",
        "an escape has wrong hexadecimal digits",
        "use single quotes where a backslash is meant as such"},
    Meaning{"invalid unicode", "an escape is no Unicode character", ""},
    Meaning{"alias not found", "aliases are not allowed", "quote a text that starts with '*'"},
    Meaning{
        "the referenced anchor is not defined",
        "aliases are not allowed",
        "put settings that nodes share into `defaults` or `profiles`; quote a text that starts "
        "with '*'"},
    Meaning{
        "illegal character found while scanning alias",
        "aliases are not allowed",
        "quote a text that starts with '*'"},
    Meaning{"anchor not found", "anchors are not allowed", "quote a text that starts with '&'"},
    Meaning{
        "illegal character found while scanning anchor",
        "anchors are not allowed",
        "quote a text that starts with '&'"},
};

bool is_one_of(char c, std::string_view set) {
  return set.find(c) != std::string_view::npos;
}

bool starts_with(std::string_view text, std::string_view prefix) {
  return text.substr(0, prefix.size()) == prefix;
}

SourceRange one_character(FileId file, std::string_view text, std::uint32_t offset) {
  const auto size = static_cast<std::uint32_t>(text.size());
  const std::uint32_t begin = std::min(offset, size);
  return {file, begin, std::min(begin + 1, size)};
}

// The plain text around `bracket`, which brackets were meant to be part of: `c[1-4]/1`.
SourceRange cut_text(FileId file, std::string_view text, std::uint32_t bracket) {
  std::uint32_t begin = bracket;
  while (begin > 0 && !is_one_of(text[begin - 1], " \t\r\n,[]{}"))
    --begin;
  std::uint32_t end = bracket;
  int depth = 0;
  for (; end < text.size() && !is_one_of(text[end], "\r\n"); ++end) {
    const char c = text[end];
    if (is_one_of(c, "[{")) ++depth;
    if (is_one_of(c, "]}") && --depth < 0) break;
    const bool key_ends = c == ':' && (end + 1 == text.size() || is_one_of(text[end + 1], " \r\n"));
    if (depth == 0 && (is_one_of(c, " \t,") || key_ends)) break;
  }
  return {file, begin, end};
}

Diagnostic must_be_quoted(const SourceRange& range, std::string_view text) {
  const std::string_view cut = text.substr(range.begin, range.end - range.begin);
  return {
      Severity::error,
      std::string{kRule},
      range,
      fmt::format("'{}' must be quoted: within {{}} or [] a bracket ends a plain text", cut),
      fmt::format("write \"{}\"", cut),
      {}};
}

// `[1-4]`, `[01,07-09]`: what else begins with a bracket may be meant so.
bool is_set_at(std::string_view text, std::uint32_t bracket) {
  const std::size_t end = text.find_first_not_of("0123456789abcdef,-", bracket + 1);
  return text[bracket] == '[' && end != std::string_view::npos && end > bracket + 1 &&
         text[end] == ']';
}

// Node sets without quotes behind the first one, by a scan of the lines: nothing behind a syntax
// error is read, and an author who forgot the quotes once forgot them in other lines too.
void add_later_sets(
    FileId file,
    std::string_view text,
    std::uint32_t from,
    std::size_t depth,
    std::vector<Diagnostic>& found) {
  char quote = '\0';
  for (std::uint32_t i = from; i < text.size(); ++i) {
    const char c = text[i];
    const char before = text[i - 1];
    if (quote != '\0') {
      if (c == quote && (quote == '\'' || before != '\\')) quote = '\0';
      continue;
    }
    if (c == '#' && is_one_of(before, " \t\r\n")) {
      i = static_cast<std::uint32_t>(std::min(text.find('\n', i), text.size()));
    } else if (is_one_of(c, "'\"") && is_one_of(before, " \t\r\n,[]{}:")) {
      quote = c;
    } else if (is_one_of(c, "]}")) {
      depth -= depth > 0 ? 1U : 0U;
    } else if (is_one_of(c, "[{")) {
      const bool cuts = depth > 0 && !is_one_of(before, " \t\r\n,[]{}:\"'");
      if (cuts && is_set_at(text, i)) {
        const SourceRange range = cut_text(file, text, i);
        found.push_back(must_be_quoted(range, text));
        i = range.end - 1;
      } else {
        ++depth;
      }
    }
  }
}

// `{a: c[1-4]}`: within brackets a plain text ends where the next bracket begins.
std::optional<Diagnostic> explain_cut_text(
    FileId file, std::string_view text, std::uint32_t offset, const TreeBuilder& builder) {
  if (builder.open_brackets().empty()) return std::nullopt;
  if (offset == 0 || offset >= text.size() || !is_one_of(text[offset], "[{")) return std::nullopt;
  if (is_one_of(text[offset - 1], " \t\r\n,[]{}:\"'")) return std::nullopt;
  return must_be_quoted(cut_text(file, text, offset), text);
}

const Meaning* find_meaning(std::string_view message) {
  const auto found = std::find_if(kMeanings.begin(), kMeanings.end(), [&](const Meaning& meaning) {
    return starts_with(message, meaning.yaml_cpp);
  });
  return found == kMeanings.end() ? nullptr : &*found;
}

// Better places than the one where yaml-cpp gave up.
void move_to_cause(
    Diagnostic& diagnostic,
    std::string_view yaml_cpp_words,
    std::string_view text,
    const TreeBuilder& builder) {
  const FileId file = diagnostic.range.file;
  const std::vector<std::uint32_t> brackets = builder.open_brackets();
  if (yaml_cpp_words.find("flow not found") != std::string_view::npos && !brackets.empty()) {
    diagnostic.with_note(one_character(file, text, brackets.back()), "opened here");
  }
  std::size_t place = std::string_view::npos;
  if (starts_with(yaml_cpp_words, "illegal EOF")) {
    place = text.find_first_of("'\"", builder.cursor());
  } else if (starts_with(yaml_cpp_words, "unknown escape")) {
    place = text.substr(0, diagnostic.range.begin).rfind('\\');
  }
  if (place == std::string_view::npos) return;
  diagnostic.range = one_character(file, text, static_cast<std::uint32_t>(place));
}

}  // namespace

std::vector<Diagnostic> explain_syntax_error(
    FileId file,
    std::string_view text,
    std::uint32_t offset,
    std::string_view yaml_cpp_words,
    const TreeBuilder& builder) {
  if (auto cut = explain_cut_text(file, text, offset, builder)) {
    const std::uint32_t end = cut->range.end;
    std::vector<Diagnostic> found{*std::move(cut)};
    add_later_sets(file, text, end, builder.open_brackets().size(), found);
    return found;
  }
  const std::size_t tab = tab_in_indentation(text, offset);
  if (tab != std::string_view::npos && builder.open_brackets().empty()) {
    const SourceRange place = one_character(file, text, static_cast<std::uint32_t>(tab));
    return {Diagnostic{
        Severity::error, std::string{kRule}, place, std::string{kTabMessage}, "use spaces", {}}};
  }
  const Meaning* meaning = find_meaning(yaml_cpp_words);
  Diagnostic diagnostic{
      Severity::error,
      std::string{kRule},
      one_character(file, text, offset),
      std::string{meaning == nullptr ? yaml_cpp_words : meaning->message},
      std::string{meaning == nullptr ? "" : meaning->help},
      {}};
  move_to_cause(diagnostic, yaml_cpp_words, text, builder);
  return {std::move(diagnostic)};
}

}  // namespace fabric::yaml
