#include "plans/refusal.hpp"

#include <set>
#include <string>
#include <utility>

#include "engine/model/expand/refused.hpp"
#include "engine/platform/support.hpp"

namespace fabric::plans {

namespace {

using Place = std::pair<SourceRange, std::string>;

void refuse_once(
    const SourceRange& range,
    const std::string& written,
    std::set<Place>& said,
    Diagnostics& diagnostics) {
  if (said.emplace(range, written).second) refuse(range, written, diagnostics);
}

}  // namespace

void refuse_missing(
    const std::vector<Resource>& resources, const Registry& registry, Diagnostics& diagnostics) {
  std::set<Place> said;
  for (const Resource& resource : resources) {
    if (resource.check_only || only_observed(resource)) continue;
    for (const Feature* feature : missing_features(resource, registry))
      refuse_once(feature->range, feature->written, said, diagnostics);
    if (resource.features.empty() && registry.find(resource) == nullptr)
      refuse_once(resource.origin, resource.address.kind, said, diagnostics);
  }
}

}  // namespace fabric::plans
