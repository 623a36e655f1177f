// SPDX-License-Identifier: Apache-2.0
// A POSIX regular expression of the C library.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace fabric::lab::commands {

struct Match {
  std::size_t begin = 0;
  std::size_t end = 0;
  std::vector<std::optional<std::string>> groups;  // [0] is the whole match
};

struct RegexOptions {
  bool extended = false;
  bool ignore_case = false;
  bool fixed = false;
};

class Regex {
 public:
  Regex(const std::string& pattern, RegexOptions options);
  ~Regex();
  Regex(const Regex&) = delete;
  Regex& operator=(const Regex&) = delete;
  Regex(Regex&& other) noexcept;
  Regex& operator=(Regex&&) = delete;
  bool valid() const { return compiled_ != nullptr; }
  // The first match at or after `from`. REQUIRES: valid().
  std::optional<Match> search(const std::string& line, std::size_t from) const;

 private:
  void* compiled_ = nullptr;  // regex_t
};

}  // namespace fabric::lab::commands
