// SPDX-License-Identifier: Apache-2.0
// Decides whether the [Match] of a .network file fits an interface.
#pragma once

#include <string>
#include <string_view>

#include "providers/linux/kinds/interface/link/link_config.hpp"

namespace fabric::providers {

// The [Match] that fabric writes; "" if the port has no lasting property to match.
std::string networkd_match(const LinkTarget& target);

struct MatchVerdict {
  bool matches = false;
  bool names_it = false;  // and not a whole class of interfaces
  bool alone = false;     // and no other one
  std::size_t line = 1;
};
// The verdict for a foreign file. A key that fabric doesn't know may match.
MatchVerdict judge_match(const LinkTarget& target, std::string_view content);

}  // namespace fabric::providers
