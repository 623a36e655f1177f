// SPDX-License-Identifier: Apache-2.0
#include "providers/linux/kinds/sysctl/sysctl_files.hpp"

#include <algorithm>

#include "engine/base/text.hpp"
#include "engine/model/tuning.hpp"

namespace fabric::providers {

namespace {

// Null if there is none. A file may spell the key in another way.
const Value* find_key(const Map& values, std::string_view key) {
  const std::string path = sysctl_path(key);
  const auto found = std::find_if(values.begin(), values.end(), [&path](const auto& each) {
    return sysctl_path(each.first) == path;
  });
  return found == values.end() ? nullptr : &found->second;
}

}  // namespace

std::string normalised(std::string_view value) {
  std::string text;
  for (const std::string_view word : split_words(value)) {
    if (!text.empty()) text += ' ';
    text += word;
  }
  return text;
}

std::vector<Assignment> assignments_of(std::string_view text) {
  std::vector<Assignment> list;
  std::size_t number = 0;
  for (const std::string_view raw : split_lines(text)) {
    ++number;
    std::string_view line = trim(raw);
    if (line.empty() || line.front() == '#' || line.front() == ';') continue;
    if (line.front() == '-') line.remove_prefix(1);
    const std::size_t equals = line.find('=');
    if (equals == std::string_view::npos) continue;
    list.push_back(
        {sysctl_path(trim(line.substr(0, equals))), normalised(line.substr(equals + 1)), number});
  }
  return list;
}

bool is_set_by_us(const FileTexts& files, std::string_view key) {
  const std::string path = sysctl_path(key);
  return std::any_of(files.begin(), files.end(), [&path](const auto& file) {
    if (!is_owned(file.second)) return false;
    const std::vector<Assignment> list = assignments_of(file.second);
    return std::any_of(
        list.begin(), list.end(), [&path](const Assignment& each) { return each.path == path; });
  });
}

std::optional<std::string> recorded_before(
    const FileTexts& files, const std::string& own, std::string_view key) {
  const auto in = [&key](std::string_view content) -> std::optional<std::string> {
    const Map before = owned_before(content);
    const Value* value = find_key(before, key);
    if (value == nullptr) return std::nullopt;
    return normalised(to_text(*value));
  };
  if (const auto file = files.find(own); file != files.end()) {
    if (auto value = in(file->second)) return value;
  }
  for (const auto& [path, content] : files) {
    if (auto value = in(content)) return value;
  }
  return std::nullopt;
}

}  // namespace fabric::providers
