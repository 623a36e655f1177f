// SPDX-License-Identifier: Apache-2.0
// Pattern: a compiled regular expression. POSIX, because std::regex is slow and its recursion grows
// with the text.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "engine/base/result.hpp"

namespace fabric::schema {

class Pattern {
 public:
  // Fails with ErrorCode::invalid on bad syntax, or if POSIX and ECMAScript read it differently.
  static Result<Pattern> compile(const std::string& expression);

  // True if the expression matches somewhere in `text`.
  bool matches(std::string_view text) const;

 private:
  struct Compiled;
  explicit Pattern(std::shared_ptr<const Compiled> compiled) : compiled_{std::move(compiled)} {}
  std::shared_ptr<const Compiled> compiled_;
};

}  // namespace fabric::schema
