// SPDX-License-Identifier: Apache-2.0
// Cuts: an undirected graph over dense ids, and the parts into which it falls without one edge, one
// vertex or several of both. For one edge or vertex this is known from one walk over the graph
// (bridges and articulation points: J. Hopcroft, R. Tarjan, "Efficient algorithms for graph
// manipulation", Communications of the ACM 16, 1973).
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

namespace fabric::graph {

class Cuts {
 public:
  using VertexId = std::size_t;
  using EdgeId = std::size_t;  // by the order of `edges`
  using Edges = std::vector<std::pair<VertexId, VertexId>>;
  // Connected vertices, in no order.
  using Part = std::vector<VertexId>;

  // Edges may be parallel or loops. REQUIRES: their ends are < vertex_count.
  Cuts(std::size_t vertex_count, Edges edges);

  std::size_t vertex_count() const { return component_.size(); }
  const Edges& edges() const { return edges_; }
  // The edges at a vertex, without loops.
  const std::vector<EdgeId>& edges_at(VertexId vertex) const { return at_[vertex]; }
  // The number of the connected component of a vertex.
  std::size_t component(VertexId vertex) const { return component_[vertex]; }

  bool is_bridge(EdgeId edge) const { return bridge_to_[edge] != kNone; }
  // May be true for the first vertex of a walk although it has only one edge.
  bool is_articulation(VertexId vertex) const { return !falls_off_[vertex].empty(); }

  // The parts into which a component falls without the edge, except the largest; of equally large
  // parts that with the lowest vertex is left out. Empty: the rest is connected.
  std::vector<Part> without_edge(EdgeId edge) const;
  std::vector<Part> without_vertex(VertexId vertex) const;
  // For all components, in time linear in the graph.
  std::vector<Part> without(
      const std::vector<VertexId>& vertices, const std::vector<EdgeId>& edges) const;

 private:
  // A vertex on the path of the walk, the edge to it, and its next neighbour to visit.
  struct Step {
    VertexId vertex;
    EdgeId by;
    std::size_t next;
  };
  struct Span {
    std::size_t begin = 0, end = 0;  // of order_
    std::size_t size() const { return end - begin; }
  };
  static constexpr std::size_t kNone = static_cast<std::size_t>(-1);

  void walk(VertexId root);
  void leave(const Step& step, const Step& parent);
  VertexId other_end(EdgeId edge, VertexId vertex) const {
    return edges_[edge].first == vertex ? edges_[edge].second : edges_[edge].first;
  }
  // The vertices of `whole` that are in none of `holes`, which are ordered parts of it.
  Part between(const Span& whole, const std::vector<Span>& holes) const;
  static std::vector<Part> without_largest(std::vector<Part> parts);

  Edges edges_;
  std::vector<std::vector<EdgeId>> at_;  // by vertex
  std::vector<std::size_t> component_;
  std::vector<VertexId> order_;      // in which the walk came to the vertices
  std::vector<std::size_t> place_;   // by vertex, in order_
  std::vector<Span> below_;          // by vertex: itself and what the walk reached by it
  std::vector<std::size_t> low_;     // the first place that an edge from below leads back to
  std::vector<Span> whole_;          // by component
  std::vector<VertexId> bridge_to_;  // by edge: the vertex below it; kNone: it is no bridge
  std::vector<std::vector<VertexId>> falls_off_;  // by vertex: those next below that hang by it
};

}  // namespace fabric::graph
