// The parsers of foreign tools' output, by the kinds of `fabric parse`: the same ones discovery
// uses.
#pragma once

#include <string_view>
#include <vector>

#include "engine/base/result.hpp"
#include "engine/value/value.hpp"

namespace fabric::providers {

struct Parser {
  std::string_view kind;     // "mlxconfig-query"
  std::string_view summary;  // "mstconfig/mlxconfig query output"
  // Fails with ErrorCode::invalid, "line N: ..."; never guesses.
  Result<Value> (*parse)(std::string_view text);
};

// In order of kind.
const std::vector<Parser>& parsers();

}  // namespace fabric::providers
