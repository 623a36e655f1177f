#include "plans/waves.hpp"

#include <algorithm>
#include <tuple>

#include <fmt/format.h>

#include "engine/base/check.hpp"
#include "engine/graph/dag.hpp"

namespace fabric::plans {

RingNeighbours::RingNeighbours(const std::vector<Ring>& rings) {
  const auto join = [this](const NodeName& a, const NodeName& b, const std::string& network) {
    if (a == b) return;  // two cards of one node may close a ring
    neighbours_[a].push_back({b, network});
    neighbours_[b].push_back({a, network});
  };
  for (const Ring& ring : rings) {
    for (std::size_t i = 1; i < ring.nodes.size(); ++i) {
      join(ring.nodes[i - 1], ring.nodes[i], ring.network);
    }
    if (ring.nodes.size() > 2) join(ring.nodes.back(), ring.nodes.front(), ring.network);
  }
  for (auto& [node, list] : neighbours_) {
    std::sort(list.begin(), list.end(), [](const Neighbour& a, const Neighbour& b) {
      return std::tie(a.node, a.network) < std::tie(b.node, b.network);
    });
  }
}

const std::vector<RingNeighbours::Neighbour>& RingNeighbours::of(const NodeName& node) const {
  static const std::vector<Neighbour> none;
  const auto found = neighbours_.find(node);
  return found == neighbours_.end() ? none : found->second;
}

std::string held_back(
    const NodeName& node,
    const std::set<NodeName>& down,
    const RingNeighbours& neighbours,
    const Rollout& rollout) {
  for (const RingNeighbours::Neighbour& neighbour : neighbours.of(node)) {
    if (!down.contains(neighbour.node)) continue;
    return fmt::format(
        "its neighbour {} in ring {} is not reachable, and the ring must not be cut further",
        neighbour.node.str(),
        neighbour.network);
  }
  std::set<NodeName> beside;
  for (const NodeName& other : down) {
    if (rollout.domains.of(other) == rollout.domains.of(node)) beside.insert(other);
  }
  if (beside.size() < rollout.max_unavailable) return {};
  return fmt::format(
      "rollout.max_unavailable is {}{} and {} not reachable already",
      rollout.max_unavailable,
      rollout.domains.label().empty()
          ? ""
          : fmt::format(" in {} '{}'", rollout.domains.label(), rollout.domains.of(node)),
      beside.size() == 1 ? beside.begin()->str() + " is"
                         : fmt::format("{} nodes are", beside.size()));
}

namespace {

// "the lowest wave from here on that is not full", in nearly constant time however many are.
class OpenWaves {
 public:
  explicit OpenWaves(std::size_t capacity) : capacity_{capacity} {}

  std::uint32_t first_from(std::uint32_t wave) {
    grow(wave);
    std::uint32_t root = wave;
    while (next_[root] != root) {
      grow(next_[root]);
      root = next_[root];
    }
    while (next_[wave] != root && next_[wave] != wave)
      wave = std::exchange(next_[wave], root);
    return root;
  }
  // True if the wave is now full.
  bool take(std::uint32_t wave) {
    if (++used_[wave] < capacity_) return false;
    next_[wave] = wave + 1;
    return true;
  }
  bool is_full(std::uint32_t wave) const { return wave < used_.size() && used_[wave] >= capacity_; }

 private:
  void grow(std::uint32_t wave) {
    while (next_.size() <= wave) {
      next_.push_back(static_cast<std::uint32_t>(next_.size()));
      used_.push_back(0);
    }
  }
  std::size_t capacity_;
  std::vector<std::uint32_t> next_;
  std::vector<std::size_t> used_;
};

class Assignment {
 public:
  Assignment(const WaveInputs& inputs, const RingNeighbours& neighbours, const Rollout& rollout)
      : inputs_{inputs}, neighbours_{neighbours}, rollout_{rollout} {
    for (const NodeName& node : inputs.disturbed) {
      const std::string& domain = rollout.domains.of(node);
      if (open_.contains(domain)) continue;
      const std::size_t down = rollout.domains.count(inputs.down, node);
      FABRIC_CHECK(down < rollout.max_unavailable, "waves for nodes that must be held back");
      open_.emplace(domain, OpenWaves{rollout.max_unavailable - down});
    }
    for (std::size_t i = 0; i < rollout.canary.size(); ++i)
      rank_.emplace(rollout.canary[i], i);
  }

  WavePlan run() && {
    for (const NodeName& node : order()) {
      const std::uint32_t lowest = after_prerequisites(node);
      plan_.wave_of[node] =
          inputs_.disturbed.contains(node) ? place(node, std::max(lowest, 1U)) : lowest;
    }
    explain();
    return std::move(plan_);
  }

 private:
  bool is_canary(const NodeName& node) const { return rank_.contains(node.str()); }

  // Canaries in their order, then by name; nobody before those it waits for.
  std::vector<NodeName> order() const {
    std::vector<NodeName> nodes(inputs_.disturbed.begin(), inputs_.disturbed.end());
    nodes.insert(nodes.end(), inputs_.undisturbed.begin(), inputs_.undisturbed.end());
    const auto key = [this](const NodeName& node) {
      const auto found = rank_.find(node.str());
      return std::pair{found == rank_.end() ? rank_.size() : found->second, node};
    };
    std::sort(nodes.begin(), nodes.end(), [&](const NodeName& a, const NodeName& b) {
      return key(a) < key(b);
    });
    if (inputs_.precedence.empty()) return nodes;

    std::map<NodeName, std::size_t> index_of;
    for (std::size_t i = 0; i < nodes.size(); ++i)
      index_of.emplace(nodes[i], i);
    graph::Dag dag{nodes.size()};
    for (const auto& [before, after] : inputs_.precedence) {
      dag.add_edge(index_of.at(before), index_of.at(after));
    }
    const auto sorted = dag.topological_order();
    FABRIC_CHECK(sorted.has_value(), "nodes wait for each other");
    std::vector<NodeName> ordered;
    for (const std::size_t index : *sorted)
      ordered.push_back(nodes[index]);
    return ordered;
  }

  std::uint32_t after_prerequisites(const NodeName& node) {
    if (waits_for_.empty()) {
      for (const auto& [before, after] : inputs_.precedence)
        waits_for_[after].push_back(before);
    }
    std::uint32_t lowest = 0;
    if (const auto found = waits_for_.find(node); found != waits_for_.end()) {
      for (const NodeName& before : found->second)
        lowest = std::max(lowest, plan_.wave_of.at(before));
    }
    return lowest;
  }

  std::uint32_t place(const NodeName& node, std::uint32_t lowest) {
    if (!is_canary(node)) lowest = std::max(lowest, last_canary_ + 1);
    OpenWaves& open = open_.at(rollout_.domains.of(node));
    std::uint32_t wave = open.first_from(lowest);
    while (const RingNeighbours::Neighbour* neighbour = neighbour_in(node, wave)) {
      apart_.try_emplace(
          wave,
          fmt::format(
              "ring {}: {} and {} are neighbours, never down together",
              neighbour->network,
              neighbour->node.str(),
              node.str()));
      wave = open.first_from(wave + 1);
    }
    open.take(wave);
    if (is_canary(node)) last_canary_ = std::max(last_canary_, wave);
    while (plan_.waves.size() < wave) {
      plan_.waves.push_back({static_cast<std::uint32_t>(plan_.waves.size() + 1), {}, {}});
    }
    plan_.waves[wave - 1].nodes.push_back(node);
    return wave;
  }

  const RingNeighbours::Neighbour* neighbour_in(const NodeName& node, std::uint32_t wave) const {
    for (const RingNeighbours::Neighbour& neighbour : neighbours_.of(node)) {
      if (!inputs_.disturbed.contains(neighbour.node)) continue;
      const auto found = plan_.wave_of.find(neighbour.node);
      if (found != plan_.wave_of.end() && found->second == wave) return &neighbour;
    }
    return nullptr;
  }

  void explain() {
    for (Wave& wave : plan_.waves) {
      std::vector<std::string> reasons;
      if (wave.number <= last_canary_) reasons.emplace_back("canary first");
      if (const auto found = apart_.find(wave.number); found != apart_.end()) {
        reasons.push_back(found->second);
      }
      const bool is_full = std::any_of(open_.begin(), open_.end(), [&wave](const auto& each) {
        return each.second.is_full(wave.number);
      });
      if (is_full) reasons.push_back(limit_text());
      std::sort(wave.nodes.begin(), wave.nodes.end());
      wave.why =
          reasons.empty() ? "all that are left" : fmt::format("{}", fmt::join(reasons, "; "));
    }
  }

  std::string limit_text() const {
    std::string text = fmt::format(
        "at most {} node{}{} down at a time (rollout.max_unavailable)",
        rollout_.max_unavailable,
        rollout_.max_unavailable == 1 ? "" : "s",
        rollout_.domains.label().empty() ? "" : " of each " + rollout_.domains.label());
    if (!inputs_.down.empty())
      text += fmt::format(", {} not reachable already", inputs_.down.size());
    return text;
  }

  const WaveInputs& inputs_;
  const RingNeighbours& neighbours_;
  const Rollout& rollout_;
  std::map<std::string, OpenWaves> open_;  // by failure domain
  std::map<std::string, std::size_t> rank_;
  std::map<NodeName, std::vector<NodeName>> waits_for_;
  std::map<std::uint32_t, std::string> apart_;  // why some node was not put into this wave
  std::uint32_t last_canary_ = 0;
  WavePlan plan_;
};

}  // namespace

WavePlan assign_waves(
    const WaveInputs& inputs, const RingNeighbours& neighbours, const Rollout& rollout) {
  return Assignment{inputs, neighbours, rollout}.run();
}

}  // namespace fabric::plans
