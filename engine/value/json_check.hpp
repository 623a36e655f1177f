// SPDX-License-Identifier: Apache-2.0
// Checks a JSON text before any of it is kept: a refused text costs no memory.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace fabric {

struct JsonProblem {
  std::size_t line = 1;
  std::size_t column = 1;  // in bytes
  std::string what;
};

// The problem of a text that is no JSON (RFC 8259), nested deeper than limits::kNestingDepth, or
// larger as a Value than `bytes_most`. nullopt does not exclude numbers too large for a double.
std::optional<JsonProblem> check_json(std::string_view text, std::size_t bytes_most);

// The next piece of a text, valid until the next call; "" at the end.
using NextPiece = std::function<std::string_view()>;
std::optional<JsonProblem> check_json(const NextPiece& next, std::size_t bytes_most);

// The greatest size as a Value of a text of this size.
std::size_t json_bytes_most(std::size_t text_bytes);

}  // namespace fabric
