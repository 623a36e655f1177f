// SPDX-License-Identifier: Apache-2.0
#include "providers/linux/parsers/ini_file.hpp"

#include <fmt/format.h>

#include "engine/base/text.hpp"
#include "providers/parsers/lines.hpp"

namespace fabric::providers {

namespace {

void refuse(IniFile& file, std::size_t line, std::string_view problem) {
  if (!file.error) file.error = error_at(line, std::string{problem});
}

// REQUIRES: `line` is trimmed and not empty.
void read_line(IniFile& file, std::string_view line, std::size_t number) {
  if (line.front() == '[') {
    if (line.size() < 3 || line.back() != ']')
      return refuse(file, number, fmt::format("'{}' is no section", line));
    file.sections.push_back({std::string{line.substr(1, line.size() - 2)}, number});
    return;
  }
  const std::size_t equals = line.find('=');
  if (equals == std::string_view::npos || equals == 0) {
    return refuse(file, number, fmt::format("expected [Section] or Key=value, found '{}'", line));
  }
  if (file.sections.empty())
    refuse(file, number, fmt::format("'{}' stands before any section", line));
  file.entries.push_back(
      {file.sections.empty() ? "" : file.sections.back().name,
       std::string{trim(line.substr(0, equals))},
       std::string{trim(line.substr(equals + 1))},
       number});
}

// A backslash after another one is escaped.
bool goes_on(std::string_view line) {
  const std::size_t last = line.find_last_not_of('\\');
  const std::size_t backslashes = line.size() - (last == std::string_view::npos ? 0 : last + 1);
  return backslashes % 2 == 1;
}

}  // namespace

IniFile read_ini(std::string_view text, IniDialect dialect) {
  IniFile file;
  std::string joined;  // the parts read so far of a continued line
  std::size_t start = 0;
  std::size_t number = 0;
  for (const std::string_view raw : split_lines(text)) {
    ++number;
    std::string_view line = trim(raw);
    const bool comment = !line.empty() && (line.front() == '#' || line.front() == ';');
    if (comment || (line.empty() && joined.empty())) continue;
    if (joined.empty()) start = number;
    const bool unfinished = dialect == IniDialect::systemd && goes_on(line);
    if (unfinished) line.remove_suffix(1);
    joined += line;
    if (unfinished) {
      joined += ' ';
      continue;
    }
    if (!trim(joined).empty()) read_line(file, trim(joined), start);
    joined.clear();
  }
  if (!trim(joined).empty()) {
    refuse(file, start, "the file ends in the middle of a line");
    read_line(file, trim(joined), start);
  }
  return file;
}

std::vector<IniEntry> ini_entries(std::string_view text, IniDialect dialect) {
  return read_ini(text, dialect).entries;
}

}  // namespace fabric::providers
