// SPDX-License-Identifier: Apache-2.0
#include "providers/linux/lab/commands/regex.hpp"

#include <array>
#include <memory>
#include <utility>

#include <regex.h>

namespace fabric::lab::commands {
namespace {

std::string escape_all(const std::string& text) {
  std::string escaped;
  for (const char c : text) {
    if (std::string_view{"\\.[]*^$"}.find(c) != std::string_view::npos) escaped += '\\';
    escaped += c;
  }
  return escaped;
}

}  // namespace

Regex::Regex(const std::string& pattern, RegexOptions options) {
  auto compiled = std::make_unique<regex_t>();
  const int flags = (options.extended && !options.fixed ? REG_EXTENDED : 0) |
                    (options.ignore_case ? REG_ICASE : 0);
  if (regcomp(compiled.get(), (options.fixed ? escape_all(pattern) : pattern).c_str(), flags) ==
      0) {
    compiled_ = compiled.release();
  }
}

Regex::Regex(Regex&& other) noexcept : compiled_{std::exchange(other.compiled_, nullptr)} {}

Regex::~Regex() {
  if (compiled_ == nullptr) return;
  const std::unique_ptr<regex_t> owned{static_cast<regex_t*>(compiled_)};
  regfree(owned.get());
}

std::optional<Match> Regex::search(const std::string& line, std::size_t from) const {
  if (from > line.size()) return std::nullopt;
  std::array<regmatch_t, 10> found{};
  const int flags = from > 0 ? REG_NOTBOL : 0;
  const char* text = line.c_str() + from;
  if (regexec(static_cast<const regex_t*>(compiled_), text, found.size(), found.data(), flags) != 0)
    return std::nullopt;
  Match match;
  match.begin = from + static_cast<std::size_t>(found[0].rm_so);
  match.end = from + static_cast<std::size_t>(found[0].rm_eo);
  match.groups.reserve(found.size());
  for (const regmatch_t& group : found) {
    if (group.rm_so < 0) {
      match.groups.emplace_back();
    } else {
      const auto begin = from + static_cast<std::size_t>(group.rm_so);
      match.groups.emplace_back(
          line.substr(begin, static_cast<std::size_t>(group.rm_eo - group.rm_so)));
    }
  }
  return match;
}

}  // namespace fabric::lab::commands
