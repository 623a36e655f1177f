// SPDX-License-Identifier: Apache-2.0
// MtuWatch: checks that no host sends longer packets than its network carries: the MTU of whatever
// stands on a host port against the port of every switch that it can reach, and of IPoIB against
// its group. An MTU that was too large when the watch began is ignored.
#pragma once

#include <set>
#include <string>
#include <utility>
#include <vector>

#include "engine/lab/lab.hpp"
#include "engine/model/spec.hpp"

namespace fabric::rehearse {

class MtuWatch {
 public:
  // All arguments must outlive this.
  MtuWatch(const lab::Lab& lab, const FabricSpec& spec, std::vector<std::string>& violations);
  // Called between any two actions. `when`: "after ..."
  void look(const std::string& when);

 private:
  // A host's port, and the port or group (then the same port) that carries less.
  using Pair = std::pair<PortRef, PortRef>;
  // The ports of switches that a frame from this port of a network may pass.
  std::set<PortRef> carriers_of(const std::string& network, const PortRef& port) const;
  std::set<Pair> excesses() const;
  std::string text(const Pair& pair) const;

  const lab::Lab& lab_;
  const FabricSpec& spec_;
  const std::set<std::pair<NodeName, NodeName>> pairs_;
  std::vector<std::string>& violations_;
  std::vector<Pair> ethernet_;  // a host's port, a port on its way
  std::vector<PortRef> ipoib_;  // ports of hosts
  std::set<Pair> known_;
};

}  // namespace fabric::rehearse
