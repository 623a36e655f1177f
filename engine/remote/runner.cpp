// SPDX-License-Identifier: Apache-2.0
#include "engine/remote/runner.hpp"

#include <fmt/format.h>

namespace fabric::remote {

Error unknown_step(const NodeName& node, const Step& step, std::string_view runner) {
  return {
      ErrorCode::invalid, fmt::format("{}: {} can't do {} yet", node.str(), runner, kind_of(step))};
}

}  // namespace fabric::remote
