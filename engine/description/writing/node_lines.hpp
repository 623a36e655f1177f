// SPDX-License-Identifier: Apache-2.0
// Nodes in few lines: equal nodes under one key, common values in a profile or `defaults`.
#pragma once

#include <map>
#include <string>

#include "engine/description/description.hpp"
#include "engine/description/writing/yaml_text.hpp"

namespace fabric::description {

struct NodeLines {
  YamlTree defaults = YamlTree::mapping();
  YamlTree profiles = YamlTree::mapping();
  YamlTree nodes = YamlTree::mapping();
};

NodeLines node_lines(const std::map<std::string, Node>& nodes);

}  // namespace fabric::description
