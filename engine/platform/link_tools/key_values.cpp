// SPDX-License-Identifier: Apache-2.0
#include "engine/platform/link_tools/key_values.hpp"

#include <algorithm>

#include "engine/base/text.hpp"

namespace fabric::platform {

namespace {

std::size_t indent_of(std::string_view line) {
  return std::min(line.find_first_not_of(" \t"), line.size());
}

}  // namespace

std::vector<KeyValue> key_values(std::string_view text) {
  std::vector<KeyValue> found;
  std::size_t indent = 0;
  for (const std::string_view line : split_lines(text)) {
    const std::string_view told = trim(line);
    if (told.empty()) continue;
    const std::size_t colon = line.find(':');
    if (colon != std::string_view::npos) {
      indent = indent_of(line);
      found.push_back({trim(line.substr(0, colon)), trim(line.substr(colon + 1))});
    } else if (!found.empty() && indent_of(line) > indent) {
      const std::string_view key = found.back().key;
      found.push_back({key, told});
    }
  }
  return found;
}

std::string_view value_of(const std::vector<KeyValue>& lines, std::string_view key) {
  const auto line = std::find_if(
      lines.begin(), lines.end(), [&](const KeyValue& each) { return each.key == key; });
  return line == lines.end() ? std::string_view{} : line->value;
}

}  // namespace fabric::platform
