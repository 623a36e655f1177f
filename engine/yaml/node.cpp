// SPDX-License-Identifier: Apache-2.0
#include "engine/yaml/node.hpp"

#include <algorithm>

namespace fabric::yaml {

const Entry* Node::find_entry(std::string_view key) const {
  const auto found = std::find_if(
      entries.begin(), entries.end(), [&](const Entry& entry) { return entry.key == key; });
  return found == entries.end() ? nullptr : &*found;
}

const Node* Node::find(std::string_view key) const {
  const Entry* entry = find_entry(key);
  return entry == nullptr ? nullptr : &entry->value;
}

}  // namespace fabric::yaml
