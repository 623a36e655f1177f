// SPDX-License-Identifier: Apache-2.0
// What infiniband-diags say beside their result: warnings of a MAD that got no answer mean that the
// result has holes, so they are kept.
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
