// SPDX-License-Identifier: Apache-2.0
#include "engine/remote/limited_runner.hpp"

#include <algorithm>

namespace fabric::remote {

void limit(Step& step, Duration most) {
  std::visit(
      [most]([[maybe_unused]] auto& each) {
        if constexpr (requires { each.command; })
          each.command.timeout = std::min(each.command.timeout, most);
        if constexpr (requires { each.timeout; }) each.timeout = std::min(each.timeout, most);
      },
      step);
}

}  // namespace fabric::remote
