// SPDX-License-Identifier: Apache-2.0
#include "engine/graph/dag.hpp"

#include "tests/support/catch.hpp"

namespace fabric::graph {
namespace {

TEST_CASE("topological order puts dependencies first and breaks ties by id", "[graph]") {
  Dag dag{4};
  dag.add_edge(3, 0);
  dag.add_edge(2, 0);
  CHECK(*dag.topological_order() == std::vector<VertexId>{1, 2, 3, 0});
}

TEST_CASE("a cycle is an error, not a partial order", "[graph]") {
  Dag dag{2};
  dag.add_edge(0, 1);
  dag.add_edge(1, 0);
  REQUIRE_FALSE(dag.topological_order());
}

TEST_CASE("the shortest cycle is found, in edge order, from its lowest vertex", "[graph]") {
  Dag dag{6};
  dag.add_edge(5, 1);  // outside the cycle
  dag.add_edge(1, 2);
  dag.add_edge(2, 3);
  dag.add_edge(3, 4);
  dag.add_edge(4, 1);
  dag.add_edge(3, 1);  // the short way
  CHECK(dag.find_cycle() == std::vector<VertexId>{1, 2, 3});
  CHECK(Dag{3}.find_cycle().empty());
}

TEST_CASE("a vertex that depends on itself is a cycle of one", "[graph]") {
  Dag dag{2};
  dag.add_edge(1, 1);
  CHECK(dag.find_cycle() == std::vector<VertexId>{1});
}

TEST_CASE(
    "components take edges as undirected and are numbered by their lowest vertex", "[graph]") {
  Dag dag{5};
  dag.add_edge(4, 0);
  dag.add_edge(3, 1);
  CHECK(dag.components() == std::vector<std::size_t>{0, 1, 2, 1, 0});
}

}  // namespace
}  // namespace fabric::graph
