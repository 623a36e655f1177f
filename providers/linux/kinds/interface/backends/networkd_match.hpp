// SPDX-License-Identifier: Apache-2.0
// Whether the [Match] of a .network file fits an interface.
#pragma once

#include <string>
#include <string_view>

#include "providers/linux/kinds/interface/link/link_config.hpp"

namespace fabric::providers {

// The [Match] that fabric writes; "" if the port has nothing lasting to go by.
std::string networkd_match(const LinkTarget& target);

struct MatchVerdict {
  bool matches = false;
  bool names_it = false;  // and not a whole class of interfaces
  bool alone = false;     // and no other one
  std::size_t line = 1;
};
// For a foreign file. A key that fabric doesn't know may well match.
MatchVerdict judge_match(const LinkTarget& target, std::string_view content);

}  // namespace fabric::providers
