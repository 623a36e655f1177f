// SPDX-License-Identifier: Apache-2.0
// Waves: which nodes may be disturbed together: never two neighbours of a ring, never more than
// max_unavailable of a failure domain (unreachable nodes count), canaries first. Pure, near-linear.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "engine/model/expand/expand.hpp"
#include "engine/model/topology/failure_domains.hpp"
#include "plans/changes/withheld.hpp"
#include "plans/plan.hpp"

namespace fabric::plans {

// Pairs and groups of nodes that must never be down together.
class AntiAffinity {
 public:
  explicit AntiAffinity(
      const std::vector<Ring>& rings,
      const std::vector<ManagerGroup>& managers = {},
      const std::vector<SwitchTie>& ties = {});
  // `only_switch`, `pair`: a switch and a host behind it, and two switches that act as one.
  // `transit`: two hosts that forward (Ring::splits).
  enum class Why : std::uint8_t { ring, managers, only_switch, pair, transit };
  struct Other {
    NodeName node;
    std::string network;
    Why why = Why::ring;
  };
  // Sorted by node, network, why.
  const std::vector<Other>& of(const NodeName& node) const;
  // "ring storage: a and b are neighbours, so one stays up"
  static std::string sentence(const NodeName& node, const Other& other);
  // The name of the mutex for actions that disturb either node: the same text for both nodes.
  static std::string mutex(const NodeName& node, const Other& other);
  // The network that loses its last manager with `node` while the nodes of `down` are down; or
  // null.
  const ManagerGroup* last_manager(const NodeName& node, const Down& down) const;
  // In a ring with an offline node, the other nodes are a chain. An inner node of the chain
  // connects the nodes on its two sides: returns these two nodes and the nodes that cut the ring.
  // Empty for an end of the chain.
  struct Joint {
    std::string network;
    NodeName left, right;
    std::vector<NodeName> cut_by;
  };
  std::vector<Joint> joints(const NodeName& node, const Down& down) const;

 private:
  // The position of `node` in ring number `ring`; its first position if the ring has it twice.
  std::optional<std::size_t> place_in(std::size_t ring, const NodeName& node) const;
  // The nodes of a ring that are down, in the order of the ring.
  std::vector<NodeName> down_in(std::size_t ring, const Down& down) const;

  std::map<NodeName, std::vector<Other>> others_;
  std::map<NodeName, std::vector<std::pair<std::size_t, std::size_t>>>
      places_;  // ring, index in it
  std::vector<Ring> rings_;
  std::vector<ManagerGroup> managers_;
};

struct Rollout {
  std::uint32_t max_unavailable = 1;  // of each failure domain
  std::vector<std::string> canary;    // names of nodes, the first of them first
  FailureDomains domains{};
};

// (network, node): the node's card is known to forward nothing in that network now.
using NotForwarding = std::set<std::pair<std::string, NodeName>>;

// Why `node` must not be disturbed while the nodes of `down` are down. A ring neighbour that is
// down for an unknown reason holds the node. A neighbour that is known to be offline does not:
// disturbing an end of the remaining chain cuts off only that end. An inner node of the chain is
// held.
NodeWithheld why_withheld(
    const NodeName& node,
    const Down& down,
    const AntiAffinity& apart,
    const Rollout& rollout,
    const NotForwarding& not_forwarding = {});

struct WaveInputs {
  std::set<NodeName> disturbed;  // their traffic is interrupted, and none of them is held back
  Down down;
  std::set<NodeName> undisturbed;  // nodes with work that interrupts no traffic
  // (before, after): work of `after` waits for work of `before`. Acyclic.
  std::set<std::pair<NodeName, NodeName>> precedence;
  // The machine that fabric runs on: comes after all others, unless another node waits for it.
  std::optional<NodeName> last{};
  // For each switch: the hosts that lose traffic with it. They count as down beside it. A switch
  // has a wave of its own where the wave is too small for all of its hosts.
  std::map<NodeName, std::set<NodeName>> behind{};
};

struct WavePlan {
  std::map<NodeName, std::uint32_t> wave_of;  // 0: undisturbed, and waits for no disturbed node
  // For work that is done in another wave than the rest of its node (NodeOrder::apart).
  std::map<ResourceAddress, std::uint32_t> wave_apart{};
  std::vector<Wave> waves;
};

WavePlan assign_waves(const WaveInputs& inputs, const AntiAffinity& apart, const Rollout& rollout);

}  // namespace fabric::plans
