// SPDX-License-Identifier: Apache-2.0
// Repetitions in cables: rings of hosts, and texts that differ in one number.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "engine/description/description.hpp"

namespace fabric::description {

// Takes the cables of rings out of `cables`: port 1 of each host's only adapter to port 2 of the
// next host. Each ring begins with its first node by name.
std::vector<std::vector<std::string>> take_rings(
    std::vector<Cable>& cables, const std::map<std::string, Node>& nodes);

struct Loop {
  std::string pattern;  // "c{i}[01-18]/1 leaf{i}/[1-18]"
  std::string range;    // "1-36"
};
// Nullopt if the texts differ in more than one number, wherever it is.
std::optional<Loop> loop_over(const std::vector<std::string>& texts);

}  // namespace fabric::description
