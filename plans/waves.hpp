// Waves: which nodes may be disturbed together. Never two neighbours of a ring, never more than
// max_unavailable of a failure domain with the unreachable ones counted, canaries first. Pure,
// near-linear.
#pragma once

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "engine/model/expand/expand.hpp"
#include "engine/model/topology/failure_domains.hpp"
#include "plans/plan.hpp"

namespace fabric::plans {

// Which nodes are never down together.
class AntiAffinity {
 public:
  explicit AntiAffinity(
      const std::vector<Ring>& rings, const std::vector<ManagerGroup>& managers = {});
  enum class Why : std::uint8_t { ring, managers };
  struct Other {
    NodeName node;
    std::string network;
    Why why = Why::ring;
  };
  // In order of node, network, why.
  const std::vector<Other>& of(const NodeName& node) const;
  // "ring storage: a and b are neighbours, never down together"
  static std::string sentence(const NodeName& node, const Other& other);
  // Of actions that disturb either: the same for both.
  static std::string mutex(const NodeName& node, const Other& other);
  // The network whose last manager goes with `node` if those are down; "" = none's does.
  std::string last_manager(const NodeName& node, const std::set<NodeName>& down) const;

 private:
  std::map<NodeName, std::vector<Other>> others_;
  std::vector<ManagerGroup> managers_;
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
    const AntiAffinity& apart,
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

WavePlan assign_waves(const WaveInputs& inputs, const AntiAffinity& apart, const Rollout& rollout);

}  // namespace fabric::plans
