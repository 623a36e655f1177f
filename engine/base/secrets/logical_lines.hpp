// SPDX-License-Identifier: Apache-2.0
// Lines of files as `grep -H` prints them ("PATH:LINE"), joined where a program takes several as
// one: after a backslash, and all of a YAML file.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace fabric {

struct FileLines {
  std::string_view path;    // "" = no file
  std::string_view prefix;  // "PATH:"
  std::vector<std::string_view> contents;
};

// The lines without the backslashes that join them, and without comments within.
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
