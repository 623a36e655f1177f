// Failure domains: the sets of nodes within each of which rollout.max_unavailable counts.
#pragma once

#include <map>
#include <set>
#include <string>

#include "engine/model/spec.hpp"

namespace fabric {

class FailureDomains {
 public:
  // One for all nodes.
  FailureDomains() = default;
  // By the values of the label rollout.per; without it one for all. Nodes that lack the label are
  // together in a domain without a name.
  explicit FailureDomains(const FabricSpec& spec);

  const std::string& label() const { return label_; }  // "rack"; "" = one for all
  // "r12"; "" = that without a name, or the one for all.
  const std::string& of(const NodeName& node) const;
  // Those of `nodes` in the domain of `node`.
  std::size_t count(const std::set<NodeName>& nodes, const NodeName& node) const;

 private:
  std::string label_;
  std::map<NodeName, std::string> domain_of_;
};

}  // namespace fabric
