// SPDX-License-Identifier: Apache-2.0
#include "engine/ssh/config/pattern.hpp"

namespace fabric::ssh {

bool has_wildcard(std::string_view pattern) {
  return pattern.find_first_of("*?") != std::string_view::npos;
}

// One point to come back to is enough: a later '*' can take over everything that an earlier one
// skipped.
bool matches_pattern(std::string_view text, std::string_view pattern) {
  std::size_t t = 0;
  std::size_t p = 0;
  std::size_t star = std::string_view::npos;
  std::size_t star_text = 0;
  while (t < text.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      star_text = t;
    } else if (p < pattern.size() && (pattern[p] == '?' || pattern[p] == text[t])) {
      ++p;
      ++t;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      t = ++star_text;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*')
    ++p;
  return p == pattern.size();
}

bool matches_list(std::string_view text, std::span<const std::string> patterns) {
  bool found = false;
  for (const std::string& pattern : patterns) {
    const bool excludes = !pattern.empty() && pattern.front() == '!';
    const std::string_view bare = std::string_view{pattern}.substr(excludes ? 1 : 0);
    if (!matches_pattern(text, bare)) continue;
    if (excludes) return false;
    found = true;
  }
  return found;
}

}  // namespace fabric::ssh
