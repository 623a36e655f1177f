// SPDX-License-Identifier: Apache-2.0
#include "engine/graph/cuts.hpp"

#include <algorithm>
#include <set>

#include "engine/base/random.hpp"

#include "tests/support/catch.hpp"

namespace fabric::graph {
namespace {

using Sets = std::set<std::set<std::size_t>>;

Sets as_sets(const std::vector<Cuts::Part>& parts) {
  Sets sets;
  for (const Cuts::Part& part : parts)
    sets.emplace(part.begin(), part.end());
  return sets;
}

// Names of components spread along the edges until none changes any more.
std::vector<std::size_t> spread(
    std::size_t count, const Cuts::Edges& edges, const std::vector<bool>& gone) {
  std::vector<std::size_t> name(count);
  for (std::size_t i = 0; i < count; ++i)
    name[i] = i;
  for (bool changed = true; changed;) {
    changed = false;
    for (const auto& [a, b] : edges) {
      if (gone[a] || gone[b] || name[a] == name[b]) continue;
      name[a] = name[b] = std::min(name[a], name[b]);
      changed = true;
    }
  }
  return name;
}

// All parts of components that have lost nothing but `gone` and `cut`, without the largest of each.
Sets expected(
    std::size_t count,
    Cuts::Edges edges,
    const std::vector<std::size_t>& vertices,
    const std::vector<std::size_t>& cut) {
  const std::vector<std::size_t> before = spread(count, edges, std::vector<bool>(count));
  std::vector<bool> gone(count);
  for (const std::size_t vertex : vertices)
    gone[vertex] = true;
  for (const std::size_t edge : cut)
    edges[edge].second = edges[edge].first;
  const std::vector<std::size_t> after = spread(count, edges, gone);
  Sets parts;
  for (std::size_t component = 0; component < count; ++component) {
    std::vector<std::set<std::size_t>> here;
    for (std::size_t name = 0; name < count; ++name) {
      std::set<std::size_t> part;
      for (std::size_t i = 0; i < count; ++i) {
        if (!gone[i] && before[i] == component && after[i] == name) part.insert(i);
      }
      if (!part.empty()) here.push_back(part);
    }
    std::stable_sort(here.begin(), here.end(), [](const auto& one, const auto& other) {
      return one.size() > other.size();
    });
    for (std::size_t i = 1; i < here.size(); ++i)
      parts.insert(here[i]);
  }
  return parts;
}

TEST_CASE("what falls off without an edge, a vertex or several is what a spread finds", "[graph]") {
  std::size_t fell = 0;
  for (std::uint64_t seed = 0; seed < 400; ++seed) {
    CAPTURE(seed);
    Random random{seed};
    const std::size_t count = 1 + random.below(12);
    Cuts::Edges edges;
    for (std::size_t i = random.below(2 * count); i > 0; --i)
      edges.emplace_back(random.below(count), random.below(count));
    const Cuts cuts{count, edges};
    for (std::size_t edge = 0; edge < edges.size(); ++edge) {
      const Sets parts = as_sets(cuts.without_edge(edge));
      CHECK(parts == expected(count, edges, {}, {edge}));
      CHECK(parts == as_sets(cuts.without({}, {edge})));
      fell += parts.size();
    }
    for (std::size_t vertex = 0; vertex < count; ++vertex) {
      const Sets parts = as_sets(cuts.without_vertex(vertex));
      CHECK(parts == expected(count, edges, {vertex}, {}));
      CHECK(parts == as_sets(cuts.without({vertex}, {})));
      fell += parts.size();
    }
    std::vector<std::size_t> vertices, cut;
    for (std::size_t vertex = 0; vertex < count; ++vertex) {
      if (random.chance(20)) vertices.push_back(vertex);
    }
    for (std::size_t edge = 0; edge < edges.size(); ++edge) {
      if (random.chance(20)) cut.push_back(edge);
    }
    CHECK(as_sets(cuts.without(vertices, cut)) == expected(count, edges, vertices, cut));
  }
  CHECK(fell > 1000);
}

}  // namespace
}  // namespace fabric::graph
