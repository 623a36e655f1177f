// SPDX-License-Identifier: Apache-2.0
#include "plans/waves.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "engine/base/check.hpp"
#include "engine/graph/dag.hpp"
#include "engine/model/node_set_text.hpp"

namespace fabric::plans {

namespace {

// How unreached nodes stop to hold other nodes: they come back, or are named as offline.
std::string bring_back(const std::vector<NodeName>& unreached) {
  return fmt::format(
      "bring {0} back, or name {1} if known to be down: --offline {0}",
      fold(unreached),
      unreached.size() == 1 ? "it" : "them");
}

std::vector<NodeName> list(const std::set<NodeName>& nodes) {
  return {nodes.begin(), nodes.end()};
}

NodeWithheld held_by_ring(
    const NodeName& node,
    const Down& down,
    const AntiAffinity& apart,
    const NotForwarding& not_forwarding) {
  for (const AntiAffinity::Other& other : apart.of(node)) {
    if (other.why != AntiAffinity::Why::ring || !down.unreached.contains(other.node)) continue;
    return {
        fmt::format(
            "its neighbour {} in ring {} is not reachable, and the ring must not be cut further",
            other.node.str(),
            other.network),
        bring_back({other.node})};
  }
  for (const AntiAffinity::Other& other : apart.of(node)) {
    if (other.why != AntiAffinity::Why::transit || !down.unreached.contains(other.node)) continue;
    return {
        fmt::format(
            "{} in network {} is not reachable, and if this node went down too the other hosts "
            "would lose each other",
            other.node.str(),
            other.network),
        bring_back({other.node})};
  }
  for (const AntiAffinity::Joint& joint : apart.joints(node, down)) {
    if (not_forwarding.contains({joint.network, node})) continue;
    return {
        fmt::format(
            "ring {} is cut at {}, and {} and {} reach each other only through {}",
            joint.network,
            fold(joint.cut_by),
            joint.left.str(),
            joint.right.str(),
            node.str()),
        fmt::format("bring {} back, or cable the ring past it", fold(joint.cut_by))};
  }
  return {};
}

// A switch is held while the other switch of its pair is down: hosts behind both need one.
NodeWithheld held_by_pair(const NodeName& node, const Down& down, const AntiAffinity& apart) {
  for (const AntiAffinity::Other& other : apart.of(node)) {
    if (other.why != AntiAffinity::Why::pair || !down.contains(other.node)) continue;
    return {
        fmt::format(
            "{}, the other switch of its pair, is not reachable, and disturbing this switch too "
            "would cut off the hosts behind both",
            other.node.str()),
        bring_back({other.node})};
  }
  return {};
}

NodeWithheld held_by_managers(const NodeName& node, const Down& down, const AntiAffinity& apart) {
  const ManagerGroup* group = apart.last_manager(node, down);
  if (group == nullptr) return {};
  std::vector<NodeName> others = list(group->nodes);
  others.erase(std::find(others.begin(), others.end(), node));
  return {
      fmt::format(
          "no other subnet manager of {} can be reached; disturbing this node would leave the "
          "subnet "
          "without one",
          group->network),
      fmt::format("bring {} back, or place a manager on another node", fold(others))};
}

NodeWithheld held_by_number(const NodeName& node, const Down& down, const Rollout& rollout) {
  if (rollout.domains.room(rollout.max_unavailable, down, node) > 0) return {};
  std::vector<NodeName> unreached;
  for (const NodeName& other : down.unreached) {
    if (rollout.domains.of(other) == rollout.domains.of(node)) unreached.push_back(other);
  }
  const std::size_t offline = rollout.domains.count(down.offline, node);
  const std::string in_domain =
      rollout.domains.label().empty()
          ? ""
          : fmt::format(" in {} '{}'", rollout.domains.label(), rollout.domains.of(node));
  if (unreached.empty()) {
    return {
        fmt::format(
            "rollout.max_unavailable is {}{} and {} known to be offline",
            rollout.max_unavailable,
            in_domain,
            offline == 1 ? "1 node is" : fmt::format("{} nodes are", offline)),
        fmt::format(
            "bring {} back, or raise rollout.max_unavailable", offline == 1 ? "it" : "them")};
  }
  return {
      fmt::format(
          "rollout.max_unavailable is {}{} and {} already unreachable{}",
          rollout.max_unavailable,
          in_domain,
          unreached.size() == 1 ? unreached.front().str() + " is"
                                : fmt::format("{} nodes are", unreached.size()),
          offline == 0 ? "" : fmt::format(", and {} offline", offline)),
      bring_back(unreached) + "; or raise rollout.max_unavailable"};
}

}  // namespace

NodeWithheld why_withheld(
    const NodeName& node,
    const Down& down,
    const AntiAffinity& apart,
    const Rollout& rollout,
    const NotForwarding& not_forwarding) {
  NodeWithheld held = held_by_ring(node, down, apart, not_forwarding);
  if (held.why.empty()) held = held_by_pair(node, down, apart);
  if (held.why.empty()) held = held_by_managers(node, down, apart);
  if (held.why.empty()) held = held_by_number(node, down, rollout);
  return held;
}

namespace {

// "The lowest wave from here on that is not full", in nearly constant time for any number of nodes.
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
  // A node that takes more than a whole wave has a wave to itself.
  bool has_room(std::uint32_t wave, std::size_t places) {
    grow(wave);
    return used_[wave] == 0 || used_[wave] + places <= capacity_;
  }
  void take(std::uint32_t wave, std::size_t places) {
    grow(wave);
    used_[wave] += places;
    if (used_[wave] >= capacity_) next_[wave] = wave + 1;
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
      const std::size_t room = rollout.domains.room(rollout.max_unavailable, inputs.down, node);
      FABRIC_CHECK(room > 0, "waves for nodes that must be held back");
      open_.emplace(domain, OpenWaves{room});
    }
    for (std::size_t i = 0; i < rollout.canary.size(); ++i)
      rank_.emplace(rollout.canary[i], i);
  }

  WavePlan run() && {
    for (const NodeName& node : order()) {
      std::uint32_t lowest = after_prerequisites(node);
      const bool is_disturbed = inputs_.disturbed.contains(node);
      if (inputs_.last == node && !plan_.wave_of.empty()) {
        lowest = std::max(lowest, static_cast<std::uint32_t>(plan_.waves.size() + 1));
        why_apart_.try_emplace(
            lowest, node.str() + " is the machine that fabric runs on, and comes last");
      }
      plan_.wave_of[node] = is_disturbed || (inputs_.last == node && lowest > 0)
                                ? place(node, std::max(lowest, 1U))
                                : lowest;
    }
    explain();
    return std::move(plan_);
  }

 private:
  bool is_canary(const NodeName& node) const { return rank_.contains(node.str()); }

  // Canaries in their order, then by name, this machine last; no node comes before one that it
  // waits for.
  std::vector<NodeName> order() const {
    std::vector<NodeName> nodes(inputs_.disturbed.begin(), inputs_.disturbed.end());
    nodes.insert(nodes.end(), inputs_.undisturbed.begin(), inputs_.undisturbed.end());
    const auto key = [this](const NodeName& node) {
      const auto found = rank_.find(node.str());
      const std::size_t rank = found == rank_.end() ? rank_.size() : found->second;
      return std::pair{inputs_.last == node ? rank_.size() + 1 : rank, node};
    };
    std::ranges::sort(nodes, [&](const NodeName& a, const NodeName& b) { return key(a) < key(b); });
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
    OpenWaves& open = open_.try_emplace(rollout_.domains.of(node), OpenWaves{1}).first->second;
    const std::map<std::string, std::size_t> places = places_of(node);
    std::uint32_t wave = open.first_from(lowest);
    for (std::string why = why_not(node, wave, places); !why.empty();
         why = why_not(node, wave, places)) {
      why_apart_.try_emplace(wave, std::move(why));
      wave = open.first_from(wave + 1);
    }
    for (const auto& [domain, count] : places)
      open_.at(domain).take(wave, count);
    if (is_canary(node)) last_canary_ = std::max(last_canary_, wave);
    while (plan_.waves.size() < wave) {
      plan_.waves.push_back({static_cast<std::uint32_t>(plan_.waves.size() + 1), {}, {}});
    }
    plan_.waves[wave - 1].nodes.push_back(node);
    return wave;
  }

  // For each failure domain: how many of its places the node and the hosts behind it take.
  std::map<std::string, std::size_t> places_of(const NodeName& node) {
    std::map<std::string, std::size_t> places{{rollout_.domains.of(node), 1}};
    const auto found = inputs_.behind.find(node);
    if (found == inputs_.behind.end()) return places;
    for (const NodeName& host : found->second) {
      const std::string& domain = rollout_.domains.of(host);
      ++places[domain];
      const std::size_t room = rollout_.domains.room(rollout_.max_unavailable, inputs_.down, host);
      open_.try_emplace(domain, OpenWaves{std::max<std::size_t>(room, 1)});
    }
    return places;
  }

  // "" = the node may be in the wave.
  std::string why_not(
      const NodeName& node, std::uint32_t wave, const std::map<std::string, std::size_t>& places) {
    if (const AntiAffinity::Other* other = other_in(node, wave))
      return AntiAffinity::sentence(node, *other);
    const auto mine = inputs_.behind.find(node);
    if (mine == inputs_.behind.end()) return {};
    for (const auto& [domain, count] : places) {
      if (open_.at(domain).has_room(wave, count)) continue;
      return fmt::format("{} interrupts {} as well", node.str(), fold(list(mine->second)));
    }
    if (wave > plan_.waves.size()) return {};
    for (const NodeName& other : plan_.waves[wave - 1].nodes) {
      const auto theirs = inputs_.behind.find(other);
      if (theirs == inputs_.behind.end()) continue;
      for (const NodeName& host : theirs->second) {
        if (!mine->second.contains(host)) continue;
        return fmt::format("{} and {} both interrupt {}", other.str(), node.str(), host.str());
      }
    }
    return {};
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
      const bool is_full = std::ranges::any_of(
          open_, [&wave](const auto& each) { return each.second.is_full(wave.number); });
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
    if (!inputs_.down.unreached.empty())
      text += fmt::format(", {} already unreachable", inputs_.down.unreached.size());
    if (!inputs_.down.offline.empty())
      text += fmt::format(", {} offline", inputs_.down.offline.size());
    return text;
  }

  const WaveInputs& inputs_;
  const AntiAffinity& apart_;
  const Rollout& rollout_;
  std::map<std::string, OpenWaves> open_;  // by failure domain
  std::map<std::string, std::size_t> rank_;
  std::map<NodeName, std::vector<NodeName>> waits_for_;
  std::map<std::uint32_t, std::string> why_apart_;  // why a node was not put into this wave
  std::uint32_t last_canary_ = 0;
  WavePlan plan_;
};

}  // namespace

WavePlan assign_waves(const WaveInputs& inputs, const AntiAffinity& apart, const Rollout& rollout) {
  return Assignment{inputs, apart, rollout}.run();
}

}  // namespace fabric::plans
