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

// The same, remembered: hosts are sent the same few scripts over and over. Never null.
std::shared_ptr<const Result<List>> parse_script_once(std::string_view text);

// The text of an unquoted here-document, or of an expression: expansions, but no quotes.
Result<Word> parse_expansions(std::string_view text);

}  // namespace fabric::lab::shell
