#include "plans/waves.hpp"

#include <algorithm>
#include <tuple>

#include <fmt/format.h>

#include "engine/base/check.hpp"
#include "engine/graph/dag.hpp"

namespace fabric::plans {

AntiAffinity::AntiAffinity(
    const std::vector<Ring>& rings, const std::vector<ManagerGroup>& managers)
    : managers_{managers} {
  const auto join = [this](
                        const NodeName& a, const NodeName& b, const std::string& network, Why why) {
    if (a == b) return;  // two cards of one node may close a ring
    others_[a].push_back({b, network, why});
    others_[b].push_back({a, network, why});
  };
  for (const Ring& ring : rings) {
    for (std::size_t i = 1; i < ring.nodes.size(); ++i) {
      join(ring.nodes[i - 1], ring.nodes[i], ring.network, Why::ring);
    }
    if (ring.nodes.size() > 2) join(ring.nodes.back(), ring.nodes.front(), ring.network, Why::ring);
  }
  for (const ManagerGroup& group : managers) {
    for (auto a = group.nodes.begin(); a != group.nodes.end(); ++a) {
      for (auto b = std::next(a); b != group.nodes.end(); ++b)
        join(*a, *b, group.network, Why::managers);
    }
  }
  for (auto& [node, list] : others_) {
    std::sort(list.begin(), list.end(), [](const Other& a, const Other& b) {
      return std::tie(a.node, a.network, a.why) < std::tie(b.node, b.network, b.why);
    });
  }
}

const std::vector<AntiAffinity::Other>& AntiAffinity::of(const NodeName& node) const {
  static const std::vector<Other> none;
  const auto found = others_.find(node);
  return found == others_.end() ? none : found->second;
}

std::string AntiAffinity::sentence(const NodeName& node, const Other& other) {
  if (other.why == Why::managers) {
    return fmt::format(
        "{} and {} manage the subnet of {}, never down together",
        other.node.str(),
        node.str(),
        other.network);
  }
  return fmt::format(
      "ring {}: {} and {} are neighbours, never down together",
      other.network,
      other.node.str(),
      node.str());
}

std::string AntiAffinity::mutex(const NodeName& node, const Other& other) {
  const auto [low, high] = std::minmax(node, other.node);
  return fmt::format(
      "{}:{}/{}+{}",
      other.why == Why::ring ? "ring" : "managers",
      other.network,
      low.str(),
      high.str());
}

std::string AntiAffinity::last_manager(const NodeName& node, const std::set<NodeName>& down) const {
  for (const ManagerGroup& group : managers_) {
    const bool is_last = group.nodes.contains(node) &&
                         std::all_of(group.nodes.begin(), group.nodes.end(), [&](const auto& each) {
                           return each == node || down.contains(each);
                         });
    if (is_last) return group.network;
  }
  return {};
}

std::string held_back(
    const NodeName& node,
    const std::set<NodeName>& down,
    const AntiAffinity& apart,
    const Rollout& rollout) {
  for (const AntiAffinity::Other& other : apart.of(node)) {
    if (other.why != AntiAffinity::Why::ring || !down.contains(other.node)) continue;
    return fmt::format(
        "its neighbour {} in ring {} is not reachable, and the ring must not be cut further",
        other.node.str(),
        other.network);
  }
  if (const std::string network = apart.last_manager(node, down); !network.empty()) {
    return fmt::format(
        "no other manager of the subnet of {} is reachable, and it must not lose its last",
        network);
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
  Assignment(const WaveInputs& inputs, const AntiAffinity& apart, const Rollout& rollout)
      : inputs_{inputs}, apart_{apart}, rollout_{rollout} {
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
    while (const AntiAffinity::Other* other = other_in(node, wave)) {
      why_apart_.try_emplace(wave, AntiAffinity::sentence(node, *other));
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

  const AntiAffinity::Other* other_in(const NodeName& node, std::uint32_t wave) const {
    for (const AntiAffinity::Other& other : apart_.of(node)) {
      if (!inputs_.disturbed.contains(other.node)) continue;
      const auto found = plan_.wave_of.find(other.node);
      if (found != plan_.wave_of.end() && found->second == wave) return &other;
    }
    return nullptr;
  }

  void explain() {
    for (Wave& wave : plan_.waves) {
      std::vector<std::string> reasons;
      if (wave.number <= last_canary_) reasons.emplace_back("canary first");
      if (const auto found = why_apart_.find(wave.number); found != why_apart_.end()) {
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
  const AntiAffinity& apart_;
  const Rollout& rollout_;
  std::map<std::string, OpenWaves> open_;  // by failure domain
  std::map<std::string, std::size_t> rank_;
  std::map<NodeName, std::vector<NodeName>> waits_for_;
  std::map<std::uint32_t, std::string> why_apart_;  // why some node was not put into this wave
  std::uint32_t last_canary_ = 0;
  WavePlan plan_;
};

}  // namespace

WavePlan assign_waves(const WaveInputs& inputs, const AntiAffinity& apart, const Rollout& rollout) {
  return Assignment{inputs, apart, rollout}.run();
}

}  // namespace fabric::plans
