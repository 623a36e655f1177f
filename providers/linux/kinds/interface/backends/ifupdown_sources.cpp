// SPDX-License-Identifier: Apache-2.0
#include "providers/linux/kinds/interface/backends/ifupdown_sources.hpp"

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fnmatch.h>

#include "providers/linux/parsers/ifupdown_file.hpp"

namespace fabric::providers {

namespace {

constexpr const char* kInterfaces = "/etc/network/interfaces";

bool fits(const std::string& pattern, const std::string& path) {
  return fnmatch(pattern.c_str(), path.c_str(), FNM_PATHNAME | FNM_PERIOD) == 0;
}

// `source` takes patterns of files; `source-directory` takes those of folders, and of their files
// what is named of [A-Za-z0-9_-] alone. Both go from the folder of the file that they stand in.
bool is_read_by(
    std::string_view keyword,
    const std::string& word,
    const std::string& file,
    const std::string& reader = kInterfaces) {
  std::string pattern =
      word.starts_with('/') ? word : reader.substr(0, reader.rfind('/') + 1) + word;
  if (keyword == "source") return fits(pattern, file);
  if (keyword != "source-directory") return false;
  while (pattern.ends_with('/'))
    pattern.pop_back();
  return fits(pattern, file.substr(0, file.rfind('/')));
}

bool takes(const IfupdownFile& reader, const std::string& path, const std::string& file) {
  return std::any_of(
      reader.stanzas.begin(), reader.stanzas.end(), [&](const IfupdownStanza& stanza) {
        return std::any_of(stanza.words.begin(), stanza.words.end(), [&](const std::string& word) {
          return is_read_by(stanza.keyword, word, file, path);
        });
      });
}

}  // namespace

std::set<std::string> sourced_files(const FileTexts& files) {
  std::set<std::string> sourced;
  std::vector<std::string> left{kInterfaces};
  while (!left.empty()) {
    const std::string path = std::move(left.back());
    left.pop_back();
    const auto text = files.find(path);
    if (text == files.end()) continue;
    const IfupdownFile reader = read_ifupdown(text->second);
    for (const auto& [file, content] : files)
      if (takes(reader, path, file) && sourced.insert(file).second) left.push_back(file);
  }
  return sourced;
}

std::string why_not_sourced(const FileTexts& files, const std::string& file) {
  const std::string folder = file.substr(0, file.rfind('/'));
  std::string why = fmt::format("{} does not read the files of {}", kInterfaces, folder);
  const auto interfaces = files.find(kInterfaces);
  if (interfaces == files.end()) return why;
  for (const IfupdownStanza& stanza : read_ifupdown(interfaces->second).stanzas) {
    if (!stanza.keyword.starts_with("source")) continue;
    for (const std::string& word : stanza.words) {
      if (is_read_by(stanza.keyword, word, file)) return {};
      if (word.find("interfaces.d") == std::string::npos) continue;
      why = fmt::format(
          "{}:{} reads only {}; {} does not match and is not read",
          kInterfaces,
          stanza.line,
          word,
          file);
    }
  }
  return why;
}

}  // namespace fabric::providers
