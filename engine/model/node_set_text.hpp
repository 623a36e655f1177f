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

// The same in the order given, each as often as it is there, so that several such texts can be read
// side by side: "10.30.0.[1,3,5]", "[1-41/10]". Names that differ in one number fold.
std::string fold_in_order(const std::vector<std::string>& names);

}  // namespace fabric
