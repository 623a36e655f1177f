// SPDX-License-Identifier: Apache-2.0
#include "engine/report/html/tiers.hpp"

#include <algorithm>
#include <deque>
#include <map>
#include <set>
#include <utility>

#include "engine/graph/dag.hpp"

namespace fabric::report {

namespace {

// A larger circle would be all margin.
constexpr std::size_t kMostInCircle = 48;

using Neighbours = std::vector<std::vector<std::size_t>>;

std::vector<std::vector<std::size_t>> parts_of(const Wiring& wiring) {
  graph::Dag graph{wiring.nodes.size()};
  for (const auto& [a, b] : wiring.cables) {
    if (a != b) graph.add_edge(a, b);
  }
  std::vector<std::vector<std::size_t>> parts;
  const std::vector<std::size_t> part_of = graph.components();
  for (std::size_t node = 0; node < part_of.size(); ++node) {
    if (part_of[node] >= parts.size()) parts.resize(part_of[node] + 1);
    parts[part_of[node]].push_back(node);
  }
  return parts;
}

// A walk along the cables that goes to the lowest neighbour first, so around a ring.
std::vector<std::size_t> walk(std::size_t start, const Neighbours& next) {
  std::vector<std::size_t> order;
  std::set<std::size_t> seen;
  std::vector<std::size_t> stack{start};
  while (!stack.empty()) {
    const std::size_t node = stack.back();
    stack.pop_back();
    if (!seen.insert(node).second) continue;
    order.push_back(node);
    for (auto each = next[node].rbegin(); each != next[node].rend(); ++each)
      stack.push_back(*each);
  }
  return order;
}

// What keeps the nodes of a part with switches together: their rack, or the same switches.
class Keys {
 public:
  Keys(const Wiring& wiring, const Neighbours& next, const std::vector<std::size_t>& tier)
      : wiring_{wiring} {
    for (std::size_t node = 0; node < wiring.nodes.size(); ++node) {
      if (tier[node] != 0) continue;
      if (!wiring.nodes[node].rack.empty()) racks_.insert(wiring.nodes[node].rack);
      std::vector<std::size_t> above;
      for (const std::size_t other : next[node]) {
        if (wiring.nodes[other].is_switch) above.push_back(other);
      }
      for (const std::size_t other : above)
        first_with_.emplace(other, above);
      above_.emplace(node, std::move(above));
    }
  }

  using Key = std::pair<std::string, std::vector<std::size_t>>;

  // None of a switch above the first tier.
  std::pair<bool, Key> of(std::size_t node, std::size_t tier) const {
    const std::string& rack = wiring_.nodes[node].rack;
    if (racks_.contains(rack)) return {true, {"rack " + rack, {}}};
    if (tier == 0) return {true, {"", above_.at(node)}};
    if (tier > 1) return {false, {}};
    const auto found = first_with_.find(node);
    return {true, {"", found == first_with_.end() ? std::vector{node} : found->second}};
  }

 private:
  const Wiring& wiring_;
  std::set<std::string> racks_;                                   // that have hosts
  std::map<std::size_t, std::vector<std::size_t>> above_;         // of hosts, their switches
  std::map<std::size_t, std::vector<std::size_t>> first_with_{};  // of switches, those of a host
};

}  // namespace

std::vector<std::vector<std::size_t>> neighbours(const Wiring& wiring) {
  std::vector<std::set<std::size_t>> found(wiring.nodes.size());
  for (const auto& [a, b] : wiring.cables) {
    if (a == b) continue;
    found[a].insert(b);
    found[b].insert(a);
  }
  Neighbours next;
  for (const std::set<std::size_t>& each : found)
    next.emplace_back(each.begin(), each.end());
  return next;
}

std::vector<std::size_t> tiers(const Wiring& wiring) {
  const Neighbours next = neighbours(wiring);
  std::vector<std::size_t> tier(wiring.nodes.size(), 0);
  std::deque<std::size_t> reached;
  for (std::size_t node = 0; node < tier.size(); ++node) {
    if (!wiring.nodes[node].is_switch) continue;
    const bool has_hosts =
        std::any_of(next[node].begin(), next[node].end(), [&](std::size_t other) {
          return !wiring.nodes[other].is_switch;
        });
    if (!has_hosts) continue;
    tier[node] = 1;
    reached.push_back(node);
  }
  while (!reached.empty()) {
    const std::size_t node = reached.front();
    reached.pop_front();
    for (const std::size_t other : next[node]) {
      if (!wiring.nodes[other].is_switch || tier[other] != 0) continue;
      tier[other] = tier[node] + 1;
      reached.push_back(other);
    }
  }
  for (std::size_t node = 0; node < tier.size(); ++node) {
    // No host is anywhere near.
    if (wiring.nodes[node].is_switch && tier[node] == 0) tier[node] = 1;
  }
  return tier;
}

std::vector<Company> companies(const Wiring& wiring) {
  const Neighbours next = neighbours(wiring);
  const std::vector<std::size_t> tier = tiers(wiring);
  const Keys keys{wiring, next, tier};
  std::vector<Company> all;
  std::map<Keys::Key, std::size_t> known;
  for (const std::vector<std::size_t>& part : parts_of(wiring)) {
    const bool has_switches = std::any_of(
        part.begin(), part.end(), [&](std::size_t node) { return wiring.nodes[node].is_switch; });
    if (!has_switches && part.size() > 1 && part.size() <= kMostInCircle) {
      all.push_back({"", true, walk(part.front(), next)});
      continue;
    }
    for (const std::size_t node : part) {
      const auto [is_in_one, key] = keys.of(node, tier[node]);
      if (!is_in_one) continue;
      const auto [place, is_new] = known.emplace(key, all.size());
      if (is_new) all.push_back({key.first, false, {}});
      all[place->second].nodes.push_back(node);
    }
  }
  return all;
}

}  // namespace fabric::report
