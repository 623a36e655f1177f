// SPDX-License-Identifier: Apache-2.0
// Shell text to syntax tree.
#pragma once

#include <memory>
#include <string_view>

#include "engine/base/result.hpp"
#include "providers/linux/lab/shell/ast.hpp"

namespace fabric::lab::shell {

// The whole script at once: unlike a real shell, nothing runs before a later syntax error is seen.
// Fails with ErrorCode::invalid, "1: Syntax error: ...".
Result<List> parse_script(std::string_view text);

// Parses each text once: hosts run the same few scripts over and over. Never null.
std::shared_ptr<const Result<List>> parse_script_once(std::string_view text);

// An unquoted here-document, or an expression: with expansions, but no quotes.
Result<Word> parse_expansions(std::string_view text);

}  // namespace fabric::lab::shell
