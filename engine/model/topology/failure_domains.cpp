#include "engine/model/topology/failure_domains.hpp"

#include <algorithm>

namespace fabric {

FailureDomains::FailureDomains(const FabricSpec& spec) : label_{spec.rollout.per.value} {
  if (label_.empty()) return;
  for (const auto& [name, node] : spec.nodes) {
    const auto found = node.labels.find(label_);
    if (found != node.labels.end()) domain_of_.emplace(name, found->second.value);
  }
}

const std::string& FailureDomains::of(const NodeName& node) const {
  static const std::string nameless;
  const auto found = domain_of_.find(node);
  return found == domain_of_.end() ? nameless : found->second;
}

std::size_t FailureDomains::count(const std::set<NodeName>& nodes, const NodeName& node) const {
  if (label_.empty()) return nodes.size();
  return static_cast<std::size_t>(std::count_if(
      nodes.begin(), nodes.end(), [&](const NodeName& other) { return of(other) == of(node); }));
}

}  // namespace fabric
