// SPDX-License-Identifier: Apache-2.0
// Cables as few lines: rings, sets that zip, `for`.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "engine/description/description.hpp"
#include "engine/description/writing/yaml_text.hpp"

namespace fabric::description {

// "node/port" where the node has one adapter.
std::string endpoint_text(const End& end, const std::map<std::string, Node>& nodes);

// The list under `cables`. Read back it is every cable just once; which end comes first is ours.
YamlTree cable_lines(const std::vector<Cable>& cables, const std::map<std::string, Node>& nodes);

// Names or endpoints as node sets, each of those that differ in one number, in natural order.
std::vector<std::string> node_sets(std::vector<std::string> texts);

// Endpoints as node sets, for `ports`.
YamlTree port_lines(const std::vector<End>& ports, const std::map<std::string, Node>& nodes);

}  // namespace fabric::description
