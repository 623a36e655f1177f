// SPDX-License-Identifier: Apache-2.0
#include "engine/model/topology/chain_graph.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <tuple>
#include <utility>

#include "engine/graph/dag.hpp"

namespace fabric {

namespace {

// Collects stations in order of node and adapter, as the members of the network are.
void collect_stations(const NetworkSpec& network, ChainGraph& graph) {
  for (const PortRef& port : network.member_ports()) {
    if (port.adapter.empty()) continue;
    const bool known = !graph.stations.empty() && graph.stations.back().node == port.node &&
                       graph.stations.back().adapter == port.adapter;
    if (!known) graph.stations.push_back({port.node, port.adapter, {}});
  }
}

// REQUIRES: the port is a member. Nullopt for a switch port.
std::optional<std::size_t> find_station(const ChainGraph& graph, const PortRef& port) {
  if (port.adapter.empty()) return std::nullopt;
  const auto found = std::lower_bound(
      graph.stations.begin(),
      graph.stations.end(),
      port,
      [](const ChainStation& station, const PortRef& wanted) {
        return std::tie(station.node, station.adapter) < std::tie(wanted.node, wanted.adapter);
      });
  return static_cast<std::size_t>(found - graph.stations.begin());
}

std::vector<std::size_t> walk(const ChainGraph& graph, std::size_t start) {
  std::vector<std::size_t> order{start};
  const CableSpec* came_by = nullptr;
  for (std::size_t at = start;;) {
    const auto& links = graph.stations[at].links;
    const auto next =
        std::ranges::find_if(links, [&](const ChainLink& link) { return link.cable != came_by; });
    if (next == links.end() || next->peer == start) return order;
    came_by = next->cable;
    at = next->peer;
    order.push_back(at);
  }
}

// REQUIRES: `members` are the stations of one connected part, in order.
ChainPart make_part(const ChainGraph& graph, std::vector<std::size_t> members) {
  ChainPart part;
  const auto links = [&](std::size_t station) {
    return graph.stations[station].links.size();
  };
  part.branched =
      std::ranges::any_of(members, [&](std::size_t station) { return links(station) > 2; });
  if (part.branched) {
    part.stations = std::move(members);
    return part;
  }
  const auto end =
      std::ranges::find_if(members, [&](std::size_t station) { return links(station) < 2; });
  // A card that is cabled to itself is no ring.
  part.closed = end == members.end() && members.size() > 1;
  part.stations = walk(graph, end == members.end() ? members.front() : *end);
  return part;
}

}  // namespace

ChainGraph chain_graph(const NetworkSpec& network) {
  ChainGraph graph;
  collect_stations(network, graph);
  graph::Dag joined{graph.stations.size()};
  for (const CableSpec& cable : network.cables) {
    const auto a = find_station(graph, cable.a.value);
    const auto b = find_station(graph, cable.b.value);
    if (!a || !b) continue;
    graph.stations[*a].links.push_back({*b, cable.a.value.number(), &cable});
    graph.stations[*b].links.push_back({*a, cable.b.value.number(), &cable});
    if (*a != *b) joined.add_edge(*a, *b);
  }
  for (ChainStation& station : graph.stations) {
    std::ranges::stable_sort(
        station.links, [](const ChainLink& x, const ChainLink& y) { return x.port < y.port; });
  }
  const std::vector<std::size_t> component = joined.components();
  std::map<std::size_t, std::vector<std::size_t>> members;
  for (std::size_t station = 0; station < component.size(); ++station)
    members[component[station]].push_back(station);
  for (auto& [number, stations] : members)
    graph.parts.push_back(make_part(graph, std::move(stations)));
  return graph;
}

}  // namespace fabric
