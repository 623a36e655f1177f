// SPDX-License-Identifier: Apache-2.0
#include "engine/provider/bindings.hpp"

namespace fabric {

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
