// SPDX-License-Identifier: Apache-2.0
#include "engine/model/spec_names.hpp"

namespace fabric {

std::set<std::string, std::less<>> names_in(const FabricSpec& spec) {
  std::set<std::string, std::less<>> names;
  for (const auto& [name, node] : spec.nodes) {
    names.insert(name.str());
    for (const AdapterSpec& adapter : *node.adapters)
      names.insert(adapter.name);
  }
  for (const auto& [name, network] : spec.networks)
    names.insert(name);
  return names;
}

}  // namespace fabric
