// SPDX-License-Identifier: Apache-2.0
#include "engine/provider/support.hpp"

#include <algorithm>

namespace fabric {

std::vector<const Feature*> missing_features(const Resource& resource, const Registry& registry) {
  const Provider* provider = registry.find(resource);
  std::vector<const Feature*> missing;
  for (const Feature& feature : resource.features) {
    const bool is_done =
        provider != nullptr && (feature.name.empty() || provider->supports(resource, feature.name));
    if (!is_done) missing.push_back(&feature);
  }
  return missing;
}

bool is_observable(const Resource& resource, const Registry& registry) {
  if (resource.check_only || registry.find(resource) == nullptr) return false;
  const std::vector<const Feature*> missing = missing_features(resource, registry);
  return std::ranges::all_of(
      missing, [&](const Feature* feature) { return resource.desired.contains(feature->name); });
}

}  // namespace fabric
