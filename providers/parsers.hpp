// SPDX-License-Identifier: Apache-2.0
// The parsers of foreign tools' output, by the kinds of `fabric parse`; discovery uses the same
// ones.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "engine/base/limits.hpp"
#include "engine/base/result.hpp"
#include "engine/value/value.hpp"

namespace fabric::providers {

struct Parser {
  std::string_view kind;     // "mlxconfig-query"
  std::string_view summary;  // "mstconfig/mlxconfig query output"
  // Fails with ErrorCode::invalid, "line N: ..."; never guesses.
  Result<Value> (*parse)(std::string_view text);
  // The greatest size of the tool's output or the file, in bytes; a longer text is not read.
  std::size_t bytes_max = limits::kNodeFileBytes;
  // The greatest number of lines. The caller of `parse` counts them first.
  std::size_t lines_max = limits::kNodeFileLines;
};

// A parser with a result of its own type, as a parser that returns JSON.
template <auto parse>
Result<Value> as_value(std::string_view text) {
  return to_value(FABRIC_TRY(parse(text)));
}

// The parsers of all platforms, in order of kind.
const std::vector<Parser>& parsers();

}  // namespace fabric::providers
