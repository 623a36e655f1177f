// SPDX-License-Identifier: Apache-2.0
// Dag: a directed graph over dense ids that should be acyclic.
//
// Boost.Graph is an implementation detail of dag.cpp.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "engine/base/result.hpp"

namespace fabric::graph {

using VertexId = std::size_t;

class Dag {
 public:
  explicit Dag(std::size_t vertex_count);
  ~Dag();
  Dag(Dag&&) noexcept;
  Dag& operator=(Dag&&) noexcept;
  Dag(const Dag&) = delete;
  Dag& operator=(const Dag&) = delete;

  // `dependency` is ordered before `dependent`. Adding an edge twice is the same as once.
  // REQUIRES: both are < vertex_count.
  void add_edge(VertexId dependency, VertexId dependent);

  // Dependencies first; ties in ascending id, so the order is a function of the graph alone.
  // Fails with ErrorCode::invalid if there is a cycle.
  [[nodiscard]] Result<std::vector<VertexId>> topological_order() const;

  // The vertices of a shortest cycle through the lowest possible vertex, in edge order, the first
  // not repeated at the end; empty if there is none.
  [[nodiscard]] std::vector<VertexId> find_cycle() const;

  // Connected components with edges taken as undirected: the component number of each vertex,
  // numbered in order of their lowest vertex.
  [[nodiscard]] std::vector<std::size_t> components() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace fabric::graph
