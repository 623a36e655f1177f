#include "providers/parsers/network_files/ini_file.hpp"

#include "engine/base/text.hpp"

namespace fabric::providers {

std::vector<IniEntry> ini_entries(std::string_view text) {
  std::vector<IniEntry> entries;
  std::string_view section;
  std::size_t number = 0;
  for (const std::string_view raw : split_lines(text)) {
    ++number;
    const std::string_view line = trim(raw);
    if (line.empty() || line.front() == '#' || line.front() == ';') continue;
    if (line.front() == '[' && line.back() == ']') {
      section = line.substr(1, line.size() - 2);
      continue;
    }
    const std::size_t equals = line.find('=');
    if (equals == std::string_view::npos) continue;
    entries.push_back(
        {section, trim(line.substr(0, equals)), trim(line.substr(equals + 1)), number});
  }
  return entries;
}

}  // namespace fabric::providers
