// SPDX-License-Identifier: Apache-2.0
#include "engine/model/statement_pattern.hpp"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <vector>

#include <fmt/format.h>

#include "engine/base/text.hpp"

namespace fabric {

namespace {

// Linear but for the number of stars: the text of a node must not cost more than its length.
bool globs(std::string_view pattern, std::string_view text) {
  std::size_t at = 0;
  std::size_t in_pattern = 0;
  std::size_t star = std::string_view::npos;
  std::size_t retry = 0;
  while (at < text.size()) {
    if (in_pattern < pattern.size() && pattern[in_pattern] == '*') {
      star = in_pattern++;
      retry = at;
    } else if (in_pattern < pattern.size() && pattern[in_pattern] == text[at]) {
      ++in_pattern;
      ++at;
    } else if (star != std::string_view::npos) {
      in_pattern = star + 1;
      at = ++retry;
    } else {
      return false;
    }
  }
  return pattern.find_first_not_of('*', in_pattern) == std::string_view::npos;
}

bool is_kind(std::string_view text) {
  return text.find('*') != std::string_view::npos ||
         std::find(std::begin(kStatementKinds), std::end(kStatementKinds), text) !=
             std::end(kStatementKinds);
}

}  // namespace

Result<StatementPattern> StatementPattern::parse(std::string_view text) {
  const std::size_t space = text.find(' ');
  const std::string_view kind = text.substr(0, space);
  if (!is_kind(kind)) {
    const std::vector<std::string_view> kinds{
        std::begin(kStatementKinds), std::end(kStatementKinds)};
    return Error{
        ErrorCode::invalid,
        fmt::format(
            "'{}' is no kind of configuration; expected one of {}", kind, fmt::join(kinds, ", "))};
  }
  const std::string_view rest =
      space == std::string_view::npos ? std::string_view{} : trim(text.substr(space));
  const std::size_t equals = rest.find('=');
  const std::string_view key = rest.substr(0, equals);
  if (key.empty() || key.find(' ') != std::string_view::npos) {
    return Error{
        ErrorCode::invalid,
        fmt::format(
            "'{}' names no statement; expected `KIND KEY` or `KIND KEY=VALUE`, such as `interfaces "
            "post-up`",
            text)};
  }
  StatementPattern pattern{std::string{kind}, std::string{key}, std::nullopt};
  if (equals != std::string_view::npos) pattern.value = rest.substr(equals + 1);
  return pattern;
}

bool StatementPattern::fits(
    std::string_view of_kind, std::string_view of_key, std::string_view of_value) const {
  return globs(kind, of_kind) && globs(key, of_key) && (!value || globs(*value, of_value));
}

}  // namespace fabric
