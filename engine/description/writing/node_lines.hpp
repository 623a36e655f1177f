// SPDX-License-Identifier: Apache-2.0
// Nodes in few lines: equal nodes under one key, common values in a profile or `defaults`.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "engine/description/description.hpp"
#include "engine/description/writing/yaml_text.hpp"

namespace fabric::description {

struct NodeLines {
  YamlTree defaults = YamlTree::mapping();
  YamlTree profiles = YamlTree::mapping();
  YamlTree nodes = YamlTree::mapping();
};

NodeLines node_lines(const std::map<std::string, Node>& nodes);

// Repetitions in cables: rings of hosts, and texts that differ in one number.
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
