// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <iterator>
#include <tuple>

#include <fmt/format.h>

#include "plans/waves.hpp"

namespace fabric::plans {

AntiAffinity::AntiAffinity(
    const std::vector<Ring>& rings,
    const std::vector<ManagerGroup>& managers,
    const std::vector<SwitchTie>& ties)
    : rings_{rings}, managers_{managers} {
  const auto join = [this](
                        const NodeName& a, const NodeName& b, const std::string& network, Why why) {
    if (a == b) return;  // two cards of one node may close a ring
    others_[a].push_back({b, network, why});
    others_[b].push_back({a, network, why});
  };
  for (const Ring& ring : rings) {
    const Why why = ring.splits ? Why::transit : Why::ring;
    for (std::size_t i = 1; i < ring.nodes.size(); ++i) {
      join(ring.nodes[i - 1], ring.nodes[i], ring.network, why);
    }
    if (ring.nodes.size() > 2) join(ring.nodes.back(), ring.nodes.front(), ring.network, Why::ring);
  }
  for (std::size_t ring = 0; ring < rings_.size(); ++ring) {
    for (std::size_t i = 0; i < rings_[ring].nodes.size(); ++i)
      places_[rings_[ring].nodes[i]].emplace_back(ring, i);
  }
  for (const ManagerGroup& group : managers) {
    for (auto a = group.nodes.begin(); a != group.nodes.end(); ++a) {
      for (auto b = std::next(a); b != group.nodes.end(); ++b)
        join(*a, *b, group.network, Why::managers);
    }
  }
  for (const SwitchTie& tie : ties)
    join(tie.node, tie.other, tie.network, tie.network.empty() ? Why::pair : Why::only_switch);
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
        "{} and {} manage the subnet of {}, so one stays up",
        other.node.str(),
        node.str(),
        other.network);
  }
  if (other.why == Why::pair) {
    return fmt::format(
        "{} and {} are a pair of switches, so one stays up", other.node.str(), node.str());
  }
  if (other.why == Why::only_switch) {
    return fmt::format(
        "{} and {} are a switch and a host that has no other, so one stays up",
        other.node.str(),
        node.str());
  }
  if (other.why == Why::transit) {
    return fmt::format(
        "network {}: without {} and {} the other hosts lose each other, so one stays up",
        other.network,
        other.node.str(),
        node.str());
  }
  return fmt::format(
      "ring {}: {} and {} are neighbours, so one stays up",
      other.network,
      other.node.str(),
      node.str());
}

std::string AntiAffinity::mutex(const NodeName& node, const Other& other) {
  const auto [low, high] = std::minmax(node, other.node);
  const auto kind = [&other] {
    switch (other.why) {
      case Why::ring:
        return "ring";
      case Why::managers:
        return "managers";
      case Why::only_switch:
        return "switch";
      case Why::pair:
        return "pair";
      case Why::transit:
        return "transit";
    }
    return "";
  };
  return fmt::format("{}:{}/{}+{}", kind(), other.network, low.str(), high.str());
}

const ManagerGroup* AntiAffinity::last_manager(const NodeName& node, const Down& down) const {
  for (const ManagerGroup& group : managers_) {
    const bool is_last = group.nodes.contains(node) &&
                         std::all_of(group.nodes.begin(), group.nodes.end(), [&](const auto& each) {
                           return each == node || down.contains(each);
                         });
    if (is_last) return &group;
  }
  return nullptr;
}

std::optional<std::size_t> AntiAffinity::place_in(std::size_t ring, const NodeName& node) const {
  const auto places = places_.find(node);
  if (places == places_.end()) return std::nullopt;
  for (const auto& [number, index] : places->second)
    if (number == ring) return index;
  return std::nullopt;
}

std::vector<NodeName> AntiAffinity::down_in(std::size_t ring, const Down& down) const {
  std::map<std::size_t, NodeName> found;
  for (const std::set<NodeName>* nodes : {&down.unreached, &down.offline}) {
    for (const NodeName& node : *nodes)
      if (const auto place = place_in(ring, node)) found.emplace(*place, node);
  }
  std::vector<NodeName> list;
  for (auto& [place, node] : found)
    list.push_back(std::move(node));
  return list;
}

std::vector<AntiAffinity::Joint> AntiAffinity::joints(
    const NodeName& node, const Down& down) const {
  std::vector<Joint> joints;
  if (down.offline.empty()) return joints;
  const auto places = places_.find(node);
  if (places == places_.end()) return joints;
  for (const auto& [number, index] : places->second) {
    const Ring& ring = rings_[number];
    const std::vector<NodeName>& nodes = ring.nodes;
    if (!ring.closed || nodes.size() < 3) continue;
    const NodeName& left = nodes[(index + nodes.size() - 1) % nodes.size()];
    const NodeName& right = nodes[(index + 1) % nodes.size()];
    if (down.contains(left) || down.contains(right)) continue;
    std::vector<NodeName> cut_by = down_in(number, down);
    const auto is_offline = [&down](const NodeName& each) {
      return down.offline.contains(each);
    };
    if (std::none_of(cut_by.begin(), cut_by.end(), is_offline)) continue;
    joints.push_back({ring.network, left, right, std::move(cut_by)});
  }
  return joints;
}

}  // namespace fabric::plans
