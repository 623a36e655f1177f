// Many names as one short text, the way the document writes them: "pve[1-4],spare".
#pragma once

#include <string>
#include <vector>

#include "engine/base/node_name.hpp"

namespace fabric {

// Sorted and folded over the last number of each name; names without a number stay as they are.
// Reading it as a node set gives the same names.
std::string fold(std::vector<std::string> names);
std::string fold(const std::vector<NodeName>& names);

}  // namespace fabric
