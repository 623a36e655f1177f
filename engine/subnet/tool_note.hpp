// SPDX-License-Identifier: Apache-2.0
// Messages that infiniband-diags print beside their result. A warning about a MAD without an answer
// means that the result has holes, so messages are kept.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "engine/value/value.hpp"

namespace fabric {

struct ToolNote {
  std::size_t line = 1;
  std::string text;
};

// [{"line", "text"}]
Value to_value(const std::vector<ToolNote>& notes);

}  // namespace fabric
