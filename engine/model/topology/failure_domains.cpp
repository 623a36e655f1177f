// SPDX-License-Identifier: Apache-2.0
#include "engine/model/topology/failure_domains.hpp"

#include <algorithm>
#include <vector>

#include "engine/base/text.hpp"

namespace fabric {

std::map<NodeName, std::string> cabled_switches(const FabricSpec& spec) {
  std::map<NodeName, std::set<std::string>> found;
  const auto add = [&](const PortRef& host, const PortRef& other) {
    // The port of a switch has no adapter.
    if (!host.adapter.empty() && other.adapter.empty()) found[host.node].insert(other.node.str());
  };
  for (const auto& [name, network] : spec.networks) {
    for (const CableSpec& cable : network.cables) {
      add(cable.a.value, cable.b.value);
      add(cable.b.value, cable.a.value);
    }
  }
  std::map<NodeName, std::string> domains;
  for (const auto& [node, switches] : found)
    domains.emplace(node, join(std::vector<std::string>{switches.begin(), switches.end()}, ","));
  return domains;
}

FailureDomains::FailureDomains(const FabricSpec& spec)
    : label_{spec.rollout.per.value},
      keeps_last_place_{!is_known(spec.rollout.max_unavailable.range)} {
  if (label_.empty()) return;
  if (label_ == kBySwitch) domain_of_ = cabled_switches(spec);
  for (const auto& [name, node] : spec.nodes) {
    const auto found = node.labels.find(label_);
    if (found != node.labels.end()) domain_of_.insert_or_assign(name, found->second.value);
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

std::size_t FailureDomains::room(
    std::uint32_t max_unavailable, const Down& down, const NodeName& node) const {
  const std::size_t offline = count(down.offline, node);
  const std::size_t least = keeps_last_place_ ? 1 : 0;
  const std::size_t most = max_unavailable > offline ? max_unavailable - offline : least;
  const std::size_t unreached = count(down.unreached, node);
  return most > unreached ? most - unreached : 0;
}

}  // namespace fabric
