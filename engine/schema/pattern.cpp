// SPDX-License-Identifier: Apache-2.0
#include <array>

#include <fmt/format.h>
#include <regex.h>

#include "engine/schema/rule_set.hpp"

namespace fabric::schema {

struct Pattern::Compiled {
  Compiled() = default;
  Compiled(const Compiled&) = delete;
  Compiled(Compiled&&) = delete;
  Compiled& operator=(const Compiled&) = delete;
  Compiled& operator=(Compiled&&) = delete;
  ~Compiled() {
    if (usable) regfree(&expression);
  }

  regex_t expression{};
  bool usable = false;
};

namespace {

bool is_alphanumeric(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

// True if two neighbours make a construct that an editor, which reads the schema with ECMAScript,
// would not take as POSIX does: \d and back references, groups (?, classes [:, lazy repetition.
bool is_foreign(char c, char next) {
  switch (c) {
    case '\\':
      return is_alphanumeric(next);
    case '[':
      return next == ':';
    case '(':
    case '*':
    case '+':
    case '}':
      return next == '?';
    default:
      return false;
  }
}

std::string_view find_foreign_construct(std::string_view expression) {
  for (std::size_t i = 0; i + 1 < expression.size(); ++i) {
    if (is_foreign(expression[i], expression[i + 1])) return expression.substr(i, 2);
    if (expression[i] == '\\') ++i;  // an escaped character begins nothing
  }
  return "";
}

}  // namespace

Result<Pattern> Pattern::compile(const std::string& expression) {
  if (const std::string_view foreign = find_foreign_construct(expression); !foreign.empty()) {
    return Error{
        ErrorCode::invalid,
        fmt::format("pattern '{}': '{}' is not in the subset", expression, foreign)};
  }
  auto compiled = std::make_shared<Compiled>();
  const int failure = regcomp(&compiled->expression, expression.c_str(), REG_EXTENDED | REG_NOSUB);
  if (failure != 0) {
    std::array<char, 128> reason{};
    regerror(failure, &compiled->expression, reason.data(), reason.size());
    return Error{ErrorCode::invalid, fmt::format("pattern '{}': {}", expression, reason.data())};
  }
  compiled->usable = true;
  return Pattern{std::move(compiled)};
}

bool Pattern::matches(std::string_view text) const {
  // REG_STARTEND takes the length from here, so that a zero byte is a character like others.
  regmatch_t range{};
  range.rm_so = 0;
  range.rm_eo = static_cast<regoff_t>(text.size());
  return regexec(&compiled_->expression, text.data(), 1, &range, REG_STARTEND) == 0;
}

}  // namespace fabric::schema
