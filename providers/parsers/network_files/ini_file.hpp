// The format of systemd's unit files: sections, Key=value lines, comments.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace fabric::providers {

struct IniEntry {
  std::string_view section;  // "Match"
  std::string_view key, value;
  std::size_t line = 1;
};

// In order; lines of another shape are left out, as systemd ignores them. Views into `text`.
std::vector<IniEntry> ini_entries(std::string_view text);

}  // namespace fabric::providers
