// SPDX-License-Identifier: Apache-2.0
// Lines of files as `grep -H` prints them ("PATH:LINE"), put together where a program takes several
// for one: behind a backslash, and all of a file of YAML.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace fabric {

struct FileLines {
  std::string_view path;    // "" = of no file
  std::string_view prefix;  // "PATH:"
  std::vector<std::string_view> contents;
};

// Without the backslashes that join them, and without comments within.
std::vector<std::string> pieces_of(const FileLines& lines);

bool is_yaml(std::string_view path);

class LogicalLines {
 public:
  explicit LogicalLines(std::string_view text) : text_{text} {}
  bool at_end() const { return at_ >= text_.size(); }
  // REQUIRES: not at_end().
  FileLines next();

 private:
  std::string_view line() const;

  std::string_view text_;
  std::size_t at_ = 0;
};

}  // namespace fabric
