// SPDX-License-Identifier: Apache-2.0
#include "engine/provider/bindings.hpp"

#include "engine/base/check.hpp"

namespace fabric {

Bindings binding_delta(const std::vector<Resource>& before, const std::vector<Resource>& after) {
  FABRIC_CHECK(before.size() == after.size(), "planning adds to bindings, not to resources");
  Bindings bindings;
  for (std::size_t i = 0; i < after.size(); ++i) {
    FABRIC_CHECK(before[i].address == after[i].address, "resources keep their order");
    for (const auto& [key, value] : after[i].binding) {
      const auto known = before[i].binding.find(key);
      if (known == before[i].binding.end() || !(known->second == value))
        bindings[after[i].address].emplace(key, value);
    }
  }
  return bindings;
}

std::vector<Resource> with_bindings(std::vector<Resource> resources, const Bindings& bindings) {
  for (Resource& resource : resources) {
    const auto found = bindings.find(resource.address);
    if (found == bindings.end()) continue;
    for (const auto& [key, value] : found->second)
      resource.binding.insert_or_assign(key, value);
  }
  return resources;
}

}  // namespace fabric
