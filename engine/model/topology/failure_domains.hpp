// SPDX-License-Identifier: Apache-2.0
// Failure domains: the sets of nodes within each of which rollout.max_unavailable counts.
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>

#include "engine/model/spec.hpp"

namespace fabric {

// Nodes that are down before any node is disturbed, each in one of the sets.
struct Down {
  std::set<NodeName> unreached;  // down for an unknown reason
  std::set<NodeName> offline;    // down by the document or the operator

  bool contains(const NodeName& node) const {
    return unreached.contains(node) || offline.contains(node);
  }
};

// The value of rollout.per that takes the cabled switches as domains of nodes without such a label.
inline constexpr std::string_view kBySwitch = "switch";
// For every node that is cabled to switches: their names, "leaf1", or "leaf1,leaf2" for two rails.
// A node that shares all of them goes down with them.
std::map<NodeName, std::string> cabled_switches(const FabricSpec& spec);

class FailureDomains {
 public:
  // One domain for all nodes.
  FailureDomains() = default;
  // One domain for each value of the label rollout.per, or for the switches of a node without it if
  // that is kBySwitch; without `per` one for all. Other nodes without the label are together in a
  // domain without a name.
  explicit FailureDomains(const FabricSpec& spec);

  const std::string& label() const { return label_; }  // "rack"; "" = one domain for all
  // The domain of `node`: "r12"; "" = the one without a name, or for all.
  const std::string& of(const NodeName& node) const;
  // The number of `nodes` in the domain of `node`.
  std::size_t count(const std::set<NodeName>& nodes, const NodeName& node) const;
  // How many more nodes of the domain of `node` may go down. Every node that is down counts; but if
  // the document gives no limit, nodes that are known to be offline never take the last place, or
  // one dead node would freeze all others.
  std::size_t room(std::uint32_t max_unavailable, const Down& down, const NodeName& node) const;

 private:
  std::string label_;
  bool keeps_last_place_ = true;
  std::map<NodeName, std::string> domain_of_;
};

}  // namespace fabric
