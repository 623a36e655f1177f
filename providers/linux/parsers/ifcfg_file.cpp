// SPDX-License-Identifier: Apache-2.0
#include "providers/linux/parsers/ifcfg_file.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "engine/base/text.hpp"

namespace fabric::providers {

namespace {

bool is_name(std::string_view text) {
  const auto letter = [](char c) {
    return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '_';
  };
  return !text.empty() && letter(text.front()) &&
         std::ranges::all_of(text, [&](char c) { return letter(c) || (c >= '0' && c <= '9'); });
}

// Unquotes as a shell does: "..." with backslashes, '...' without, a comment after a blank.
std::optional<std::string> unquoted(std::string_view text) {
  std::string value;
  char quote = 0;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    if (c == '\\' && quote != '\'' && at + 1 < text.size()) {
      value += text[++at];
    } else if (quote != 0 && c == quote) {
      quote = 0;
    } else if (quote == 0 && (c == '"' || c == '\'')) {
      quote = c;
    } else if (quote == 0 && (c == ' ' || c == '\t')) {
      const std::string_view rest = trim(text.substr(at));
      if (!rest.empty() && rest.front() != '#') return std::nullopt;
      return value;
    } else {
      value += c;
    }
  }
  if (quote != 0) return std::nullopt;
  return value;
}

}  // namespace

std::string IfcfgFile::value(std::string_view key) const {
  const auto found = std::find_if(entries.rbegin(), entries.rend(), [key](const IfcfgEntry& entry) {
    return entry.key == key;
  });
  return found == entries.rend() ? std::string{} : found->value;
}

std::size_t IfcfgFile::line(std::string_view key) const {
  const auto found = std::find_if(entries.rbegin(), entries.rend(), [key](const IfcfgEntry& entry) {
    return entry.key == key;
  });
  return found == entries.rend() ? 1 : found->line;
}

IfcfgFile read_ifcfg(std::string_view text) {
  IfcfgFile file;
  std::size_t number = 0;
  for (const std::string_view raw : split_lines(text)) {
    ++number;
    std::string_view line = trim(raw);
    if (line.empty() || line.front() == '#') continue;
    if (line.starts_with("export ")) line = trim(line.substr(7));
    const std::size_t equals = line.find('=');
    const std::string_view key = line.substr(0, equals);
    const auto value =
        equals == std::string_view::npos ? std::nullopt : unquoted(line.substr(equals + 1));
    if (!value || !is_name(key)) {
      if (!file.error) {
        file.error = Error{
            ErrorCode::invalid,
            fmt::format("line {}: expected KEY=value, found '{}'", number, line)};
      }
      continue;
    }
    file.entries.push_back({std::string{key}, *value, number});
  }
  return file;
}

}  // namespace fabric::providers
