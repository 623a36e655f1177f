// SPDX-License-Identifier: Apache-2.0
#include "engine/graph/dag.hpp"

#include <algorithm>
#include <deque>
#include <functional>
#include <queue>

#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/connected_components.hpp>
#include <boost/graph/strong_components.hpp>

namespace fabric::graph {

namespace {

using BoostGraph = boost::adjacency_list<boost::setS, boost::vecS, boost::bidirectionalS>;

}  // namespace

struct Dag::Impl {
  BoostGraph graph;
};

Dag::Dag(std::size_t vertex_count)
    : impl_{std::make_unique<Impl>(Impl{BoostGraph(vertex_count)})} {}

Dag::~Dag() = default;
Dag::Dag(Dag&&) noexcept = default;
Dag& Dag::operator=(Dag&&) noexcept = default;

void Dag::add_edge(VertexId dependency, VertexId dependent) {
  boost::add_edge(dependency, dependent, impl_->graph);
}

Result<std::vector<VertexId>> Dag::topological_order() const {
  const BoostGraph& graph = impl_->graph;
  std::vector<std::size_t> waiting_for(boost::num_vertices(graph));
  std::priority_queue<VertexId, std::vector<VertexId>, std::greater<>> ready;
  for (VertexId v = 0; v < waiting_for.size(); ++v) {
    waiting_for[v] = boost::in_degree(v, graph);
    if (waiting_for[v] == 0) ready.push(v);
  }
  std::vector<VertexId> order;
  while (!ready.empty()) {
    const VertexId v = ready.top();
    ready.pop();
    order.push_back(v);
    const auto [begin, end] = boost::out_edges(v, graph);
    for (auto edge = begin; edge != end; ++edge) {
      const VertexId dependent = boost::target(*edge, graph);
      if (--waiting_for[dependent] == 0) ready.push(dependent);
    }
  }
  if (order.size() != waiting_for.size()) return Error{ErrorCode::invalid, "dependency cycle"};
  return order;
}

namespace {

// Breadth first from `start` within its strong component back to itself.
std::vector<VertexId> shortest_cycle_through(
    const BoostGraph& graph, VertexId start, const std::vector<std::size_t>& component) {
  constexpr VertexId kUnseen = static_cast<VertexId>(-1);
  std::vector<VertexId> came_from(boost::num_vertices(graph), kUnseen);
  std::deque<VertexId> queue{start};
  while (!queue.empty()) {
    const VertexId v = queue.front();
    queue.pop_front();
    const auto [begin, end] = boost::out_edges(v, graph);
    for (auto edge = begin; edge != end; ++edge) {
      const VertexId next = boost::target(*edge, graph);
      if (next == start) {
        std::vector<VertexId> cycle;
        for (VertexId at = v; at != start; at = came_from[at])
          cycle.push_back(at);
        cycle.push_back(start);
        std::reverse(cycle.begin(), cycle.end());
        return cycle;
      }
      if (component[next] != component[start] || came_from[next] != kUnseen) continue;
      came_from[next] = v;
      queue.push_back(next);
    }
  }
  return {};
}

}  // namespace

std::vector<VertexId> Dag::find_cycle() const {
  const BoostGraph& graph = impl_->graph;
  const std::size_t count = boost::num_vertices(graph);
  if (count == 0) return {};
  std::vector<std::size_t> component(count);
  const std::size_t components = boost::strong_components(
      graph,
      boost::make_iterator_property_map(component.begin(), boost::get(boost::vertex_index, graph)));
  std::vector<std::size_t> size(components);
  for (const std::size_t number : component)
    ++size[number];
  for (VertexId v = 0; v < count; ++v) {
    if (size[component[v]] > 1 || boost::edge(v, v, graph).second)
      return shortest_cycle_through(graph, v, component);
  }
  return {};
}

std::vector<std::size_t> Dag::components() const {
  const BoostGraph& graph = impl_->graph;
  const std::size_t count = boost::num_vertices(graph);
  boost::adjacency_list<boost::vecS, boost::vecS, boost::undirectedS> undirected(count);
  const auto [begin, end] = boost::edges(graph);
  for (auto edge = begin; edge != end; ++edge) {
    boost::add_edge(boost::source(*edge, graph), boost::target(*edge, graph), undirected);
  }
  std::vector<std::size_t> component(count);
  if (count > 0) {
    boost::connected_components(
        undirected,
        boost::make_iterator_property_map(
            component.begin(), boost::get(boost::vertex_index, undirected)));
  }
  return component;  // numbered by a depth-first search that starts at the lowest vertex
}

}  // namespace fabric::graph
