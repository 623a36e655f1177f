// SPDX-License-Identifier: Apache-2.0
// JSON text to Value and back. nlohmann_json is an implementation detail of json.cpp.
#pragma once

#include <string>
#include <string_view>

#include "engine/base/result.hpp"
#include "engine/value/value.hpp"

namespace fabric {

// The treatment of an object that has a key twice (Onyx prints such).
enum class DuplicateKeys { refuse, last_wins };

// Fails with ErrorCode::invalid, "line L, column C: ...", on bad syntax, text after the value, a
// duplicate key, nesting beyond limits::kNestingDepth, or more values than a text of that length
// may have. A text of more than limits::kCheckedFirstBytes is checked first, so that a refused text
// takes no memory.
Result<Value> parse_json(std::string_view text, DuplicateKeys duplicates = DuplicateKeys::refuse);
// As parse_json() without that check. REQUIRES: check_json() found no problem, or the text is
// short.
Result<Value> parse_checked_json(
    std::string_view text, DuplicateKeys duplicates = DuplicateKeys::refuse);

// One line, keys sorted, UTF-8 kept, bytes that are not UTF-8 replaced by U+FFFD. Characters that
// could deceive a reader (base/printable) are escaped.
std::string to_json(const Value& value);
// Canonical file form: two-space indent, keys sorted, LF, a final newline.
std::string to_json_pretty(const Value& value);

}  // namespace fabric
