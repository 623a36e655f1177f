// SPDX-License-Identifier: Apache-2.0
#include "engine/model/topology/transit.hpp"

#include <algorithm>

namespace fabric {

namespace {

bool contains(const std::vector<std::size_t>& list, std::size_t each) {
  return std::find(list.begin(), list.end(), each) != list.end();
}

}  // namespace

TransitGraph::TransitGraph(const NetworkSpec& network) {
  for (const CableSpec& cable : network.cables) {
    if (cable.a.value.adapter.empty() || cable.b.value.adapter.empty()) continue;
    if (cable.a.value.node == cable.b.value.node) continue;
    cables_.push_back(&cable);
    for (const PortRef* end : {&cable.a.value, &cable.b.value})
      nodes_.push_back(end->node);
  }
  std::sort(nodes_.begin(), nodes_.end());
  nodes_.erase(std::unique(nodes_.begin(), nodes_.end()), nodes_.end());
  for (Index cable = 0; cable < cables_.size(); ++cable)
    add_cable(*cables_[cable], cable);
  ports_of_.resize(nodes_.size());
  for (Index port = 0; port < ports_.size(); ++port)
    ports_of_[ports_[port].node].push_back(port);
  for (std::vector<Index>& list : ports_of_) {
    std::ranges::sort(list, [this](Index a, Index b) { return ports_[a].name < ports_[b].name; });
  }
  for (Index to = 0; to < nodes_.size(); ++to)
    shortest_.push_back(distances(to, {}));
  find_suspects();
  find_tables();
}

void TransitGraph::add_cable(const CableSpec& cable, Index number) {
  const auto index = [this](const PortRef& port) {
    const auto found = std::lower_bound(nodes_.begin(), nodes_.end(), port.node);
    return static_cast<Index>(found - nodes_.begin());
  };
  const Index first = ports_.size();
  ports_.push_back({cable.a.value, index(cable.a.value), first + 1, number});
  ports_.push_back({cable.b.value, index(cable.b.value), first, number});
}

std::vector<TransitGraph::Index> TransitGraph::distances(Index to, const Cables& without) const {
  std::vector<Index> distance(nodes_.size(), kNone);
  std::vector<Index> reached{to};
  distance[to] = 0;
  for (Index i = 0; i < reached.size(); ++i) {
    const Index here = reached[i];
    for (const Index port : ports_of_[here]) {
      const Index there = ports_[ports_[port].peer].node;
      if (distance[there] != kNone || contains(without, ports_[port].cable)) continue;
      distance[there] = distance[here] + 1;
      reached.push_back(there);
    }
  }
  return distance;
}

TransitGraph::Index TransitGraph::step(
    Index from, const std::vector<Index>& distance, const Cables& without) const {
  for (const Index port : ports_of_[from]) {
    const Index after = distance[ports_[ports_[port].peer].node];
    if (after != kNone && after + 1 == distance[from] && !contains(without, ports_[port].cable))
      return port;
  }
  return kNone;
}

// A host that has lost the cable of its next step goes on by the shortest remaining way. Where that
// way enters a node, the cable may be the broken one.
void TransitGraph::find_suspects() {
  suspects_.assign(ports_.size(), std::vector<Cables>(nodes_.size()));
  // A host sends no packet for itself away: it would come back.
  for (const Port& port : ports_)
    suspects_[ports_[port.peer].peer][ports_[port.peer].node].push_back(port.cable);
  for (Index to = 0; to < nodes_.size(); ++to) {
    for (Index from = 0; from < nodes_.size(); ++from) {
      for (const Index port : ports_of_[from]) {
        const Index after = shortest_[to][ports_[ports_[port].peer].node];
        if (shortest_[to][from] == kNone || after + 1 != shortest_[to][from]) continue;
        const Cables lost{ports_[port].cable};
        const std::vector<Index> left = distances(to, lost);
        for (Index at = from; at != to;) {
          const Index out = step(at, left, lost);
          if (out == kNone) break;
          const Index in = ports_[out].peer;
          at = ports_[in].node;
          Cables& known = suspects_[in][to];
          if (at != to && !contains(known, lost.front())) known.push_back(lost.front());
        }
      }
    }
  }
}

std::vector<TransitGraph::Index> TransitGraph::ranked(
    Index from, Index to, const Cables& suspects) const {
  std::vector<Index> found;
  // If all other ways are gone, a suspect is better than none.
  for (const Cables& avoided : {suspects, Cables{}}) {
    Cables without = avoided;
    for (const Index port : found)
      without.push_back(ports_[port].cable);
    for (;;) {
      const Index port = step(from, distances(to, without), without);
      if (port == kNone) break;
      found.push_back(port);
      without.push_back(ports_[port].cable);
    }
  }
  return found;
}

void TransitGraph::find_tables() {
  own_.assign(nodes_.size(), std::vector<std::vector<Index>>(nodes_.size()));
  by_port_.assign(ports_.size(), std::vector<std::vector<Index>>(nodes_.size()));
  for (Index to = 0; to < nodes_.size(); ++to) {
    for (Index node = 0; node < nodes_.size(); ++node) {
      if (node != to) own_[node][to] = ranked(node, to, {});
    }
    for (Index port = 0; port < ports_.size(); ++port) {
      if (ports_[port].node != to)
        by_port_[port][to] = ranked(ports_[port].node, to, suspects_[port][to]);
    }
  }
}

std::vector<TransitRoute> TransitGraph::routes(const NodeName& node) const {
  std::vector<TransitRoute> all;
  const auto found = std::lower_bound(nodes_.begin(), nodes_.end(), node);
  if (found == nodes_.end() || *found != node) return all;
  const auto here = static_cast<Index>(found - nodes_.begin());
  const auto add = [&](std::optional<PortRef> in, Index to, const std::vector<Index>& ports) {
    for (Index rank = 0; rank < ports.size(); ++rank) {
      const Port& out = ports_[ports[rank]];
      const Port& next = ports_[out.peer];
      const bool best = shortest_[to][next.node] + 1 == shortest_[to][here];
      all.push_back({in, nodes_[to], rank, out.name, next.name, best});
    }
  };
  for (Index to = 0; to < nodes_.size(); ++to)
    add(std::nullopt, to, own_[here][to]);
  for (const Index port : ports_of_[here]) {
    for (Index to = 0; to < nodes_.size(); ++to)
      add(ports_[port].name, to, by_port_[port][to]);
  }
  return all;
}

std::optional<std::pair<NodeName, NodeName>> TransitGraph::apart() const {
  for (Index node = 1; node < nodes_.size(); ++node) {
    if (shortest_[0][node] == kNone) return std::pair{nodes_[0], nodes_[node]};
  }
  return std::nullopt;
}

std::size_t TransitGraph::diameter() const {
  std::size_t most = 0;
  for (const std::vector<Index>& distance : shortest_) {
    for (const Index each : distance) {
      if (each != kNone) most = std::max(most, each);
    }
  }
  return most;
}

bool TransitGraph::arrives(Index to, const Cables& dead, Index first) const {
  const auto lives = [&](Index port) {
    return !contains(dead, ports_[port].cable);
  };
  if (!lives(first)) return false;
  Index in = ports_[first].peer;
  // A way that does not go round for ever enters each port once.
  for (std::size_t hop = 0; hop < ports_.size(); ++hop) {
    if (ports_[in].node == to) return true;
    const std::vector<Index>& table = by_port_[in][to];
    const auto out = std::ranges::find_if(table, lives);
    if (out == table.end()) return false;
    in = ports_[*out].peer;
  }
  return false;
}

bool TransitGraph::all_arrive(Index from, Index to, const Cables& dead) const {
  bool is_first = true;
  for (const Index port : own_[from][to]) {
    if (contains(dead, ports_[port].cable)) continue;
    // Equal ways are shared; of the others only the first counts.
    const Index after = shortest_[to][ports_[ports_[port].peer].node];
    if (!is_first && after + 1 != shortest_[to][from]) break;
    is_first = false;
    if (!arrives(to, dead, port)) return false;
  }
  return true;
}

std::optional<std::pair<NodeName, NodeName>> TransitGraph::lost_pair(const Cables& dead) const {
  for (Index to = 0; to < nodes_.size(); ++to) {
    const std::vector<Index> left = distances(to, dead);
    for (Index from = 0; from < nodes_.size(); ++from) {
      if (from != to && left[from] != kNone && !all_arrive(from, to, dead))
        return std::pair{nodes_[from], nodes_[to]};
    }
  }
  return std::nullopt;
}

std::vector<std::pair<NodeName, NodeName>> TransitGraph::lost_without(
    const std::set<PortRef>& ends, const std::set<NodeName>& nodes) const {
  Cables dead;
  for (const Port& port : ports_) {
    if (ends.contains(port.name) || nodes.contains(nodes_[port.node])) dead.push_back(port.cable);
  }
  std::vector<std::pair<NodeName, NodeName>> lost;
  for (Index one = 0; one < nodes_.size(); ++one) {
    for (Index other = one + 1; other < nodes_.size(); ++other) {
      if (nodes.contains(nodes_[one]) || nodes.contains(nodes_[other])) continue;
      const auto gets_to = [&](Index from, Index to) {
        // Without a way at all, no port of its table lives.
        return all_arrive(from, to, dead) && distances(to, dead)[from] != kNone;
      };
      if (!gets_to(one, other) || !gets_to(other, one))
        lost.emplace_back(nodes_[one], nodes_[other]);
    }
  }
  return lost;
}

std::optional<TransitGraph::Unprotected> TransitGraph::unprotected() const {
  for (Index cable = 0; cable < cables_.size(); ++cable) {
    if (auto lost = lost_pair({cable})) return Unprotected{cables_[cable], std::nullopt, *lost};
  }
  for (Index node = 0; node < nodes_.size(); ++node) {
    Cables dead;
    for (const Index port : ports_of_[node])
      dead.push_back(ports_[port].cable);
    if (auto lost = lost_pair(dead)) return Unprotected{nullptr, nodes_[node], *lost};
  }
  return std::nullopt;
}

const CableSpec* TransitGraph::bridge() const {
  for (Index cable = 0; cable < cables_.size(); ++cable) {
    const Index here = ports_[2 * cable].node;
    if (distances(here, {cable})[ports_[2 * cable + 1].node] == kNone) return cables_[cable];
  }
  return nullptr;
}

bool TransitGraph::joined_without(Index one, Index other) const {
  Cables without;
  for (const Index node : {one, other}) {
    for (const Index port : ports_of_[node])
      without.push_back(ports_[port].cable);
  }
  Index start = kNone;
  std::vector<Index> distance;
  for (Index node = 0; node < nodes_.size(); ++node) {
    if (node == one || node == other) continue;
    if (start == kNone) {
      start = node;
      distance = distances(node, without);
    }
    if (distance[node] == kNone) return false;
  }
  return true;
}

std::vector<std::pair<NodeName, NodeName>> TransitGraph::splitting_pairs() const {
  std::vector<std::pair<NodeName, NodeName>> pairs;
  std::vector<bool> joint;
  for (Index node = 0; node < nodes_.size(); ++node)
    joint.push_back(!joined_without(node, node));
  for (Index one = 0; one < nodes_.size(); ++one) {
    for (Index other = one + 1; other < nodes_.size(); ++other) {
      if (!joint[one] && !joint[other] && !joined_without(one, other))
        pairs.emplace_back(nodes_[one], nodes_[other]);
    }
  }
  return pairs;
}

}  // namespace fabric
