// Waves: which nodes may be disturbed together. Never two neighbours of a ring, never more than
// max_unavailable of a failure domain with the unreachable ones counted, canaries first. Pure,
// near-linear.
#pragma once

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "engine/model/expand.hpp"
#include "engine/model/failure_domains.hpp"
#include "plans/plan.hpp"

namespace fabric::plans {

// Who stands beside whom.
class RingNeighbours {
 public:
  explicit RingNeighbours(const std::vector<Ring>& rings);
  struct Neighbour {
    NodeName node;
    std::string network;
  };
  // In order of node, then network.
  const std::vector<Neighbour>& of(const NodeName& node) const;

 private:
  std::map<NodeName, std::vector<Neighbour>> neighbours_;
};

struct Rollout {
  std::uint32_t max_unavailable = 1;  // of each failure domain
  std::vector<std::string> canary;    // names of nodes, first first
  FailureDomains domains{};
};

// Why a node that must be disturbed may not be, given who is down already; "" = it may.
std::string held_back(
    const NodeName& node,
    const std::set<NodeName>& down,
    const RingNeighbours& neighbours,
    const Rollout& rollout);

struct WaveInputs {
  std::set<NodeName> disturbed;    // their traffic is interrupted; none of them is held back
  std::set<NodeName> down;         // unreachable already
  std::set<NodeName> undisturbed;  // have work that nobody notices
  // (before, after): work of `after` waits for work of `before`. Acyclic.
  std::set<std::pair<NodeName, NodeName>> precedence;
};

struct WavePlan {
  std::map<NodeName, std::uint32_t> wave_of;  // 0: undisturbed and waiting for nobody disturbed
  std::vector<Wave> waves;
};

WavePlan assign_waves(
    const WaveInputs& inputs, const RingNeighbours& neighbours, const Rollout& rollout);

}  // namespace fabric::plans
