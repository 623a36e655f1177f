// SPDX-License-Identifier: Apache-2.0
#include "providers/linux/lab/host/ini_file.hpp"

#include "engine/base/text.hpp"

namespace fabric::lab {

std::vector<IniSection> parse_ini(std::string_view content) {
  std::vector<IniSection> sections;
  for (const std::string_view raw : split_lines(content)) {
    const std::string_view line = trim(raw);
    if (line.empty() || line.front() == '#' || line.front() == ';') continue;
    if (line.front() == '[' && line.back() == ']') {
      sections.push_back(IniSection{std::string{line.substr(1, line.size() - 2)}, {}});
      continue;
    }
    const std::size_t equals = line.find('=');
    if (equals == std::string_view::npos || sections.empty()) continue;
    sections.back().keys.emplace_back(trim(line.substr(0, equals)), trim(line.substr(equals + 1)));
  }
  return sections;
}

}  // namespace fabric::lab
