// SPDX-License-Identifier: Apache-2.0
#include "engine/graph/cuts.hpp"

#include <algorithm>
#include <iterator>

namespace fabric::graph {

Cuts::Cuts(std::size_t vertex_count, Edges edges)
    : edges_{std::move(edges)},
      at_(vertex_count),
      component_(vertex_count, kNone),
      place_(vertex_count, kNone),
      below_(vertex_count),
      low_(vertex_count),
      bridge_to_(edges_.size(), kNone),
      falls_off_(vertex_count) {
  for (EdgeId edge = 0; edge < edges_.size(); ++edge) {
    const auto& [a, b] = edges_[edge];
    if (a == b) continue;
    at_[a].push_back(edge);
    at_[b].push_back(edge);
  }
  order_.reserve(vertex_count);
  for (VertexId root = 0; root < vertex_count; ++root) {
    if (place_[root] == kNone) walk(root);
  }
}

// Without recursion: a line of switches is as deep as it is long.
void Cuts::walk(VertexId root) {
  const std::size_t begin = order_.size();
  std::vector<Step> steps;
  const auto enter = [&](VertexId vertex, EdgeId by) {
    place_[vertex] = low_[vertex] = order_.size();
    component_[vertex] = whole_.size();
    order_.push_back(vertex);
    steps.push_back({vertex, by, 0});
  };
  enter(root, kNone);
  while (!steps.empty()) {
    Step& here = steps.back();
    if (here.next < at_[here.vertex].size()) {
      const EdgeId edge = at_[here.vertex][here.next++];
      const VertexId there = other_end(edge, here.vertex);
      if (edge == here.by) continue;
      if (place_[there] == kNone) {
        enter(there, edge);
      } else {
        low_[here.vertex] = std::min(low_[here.vertex], place_[there]);
      }
      continue;
    }
    const Step done = here;
    steps.pop_back();
    below_[done.vertex] = {place_[done.vertex], order_.size()};
    if (!steps.empty()) leave(done, steps.back());
  }
  whole_.push_back({begin, order_.size()});
}

void Cuts::leave(const Step& step, const Step& parent) {
  low_[parent.vertex] = std::min(low_[parent.vertex], low_[step.vertex]);
  if (low_[step.vertex] > place_[parent.vertex]) bridge_to_[step.by] = step.vertex;
  if (low_[step.vertex] >= place_[parent.vertex]) falls_off_[parent.vertex].push_back(step.vertex);
}

Cuts::Part Cuts::between(const Span& whole, const std::vector<Span>& holes) const {
  Part part;
  std::size_t at = whole.begin;
  const auto take = [&](std::size_t end) {
    part.insert(
        part.end(),
        std::next(order_.begin(), static_cast<std::ptrdiff_t>(at)),
        std::next(order_.begin(), static_cast<std::ptrdiff_t>(end)));
  };
  for (const Span& hole : holes) {
    take(hole.begin);
    at = hole.end;
  }
  take(whole.end);
  return part;
}

std::vector<Cuts::Part> Cuts::without_largest(std::vector<Part> parts) {
  std::erase_if(parts, [](const Part& part) { return part.empty(); });
  if (parts.empty()) return parts;
  const auto lowest = [](const Part& part) {
    return *std::min_element(part.begin(), part.end());
  };
  const auto largest = std::ranges::max_element(parts, [&](const Part& one, const Part& other) {
    return one.size() != other.size() ? one.size() < other.size() : lowest(one) > lowest(other);
  });
  parts.erase(largest);
  return parts;
}

std::vector<Cuts::Part> Cuts::without_edge(EdgeId edge) const {
  const VertexId below = bridge_to_[edge];
  if (below == kNone) return {};
  const Span& whole = whole_[component_[below]];
  const Span& part = below_[below];
  // The larger part is left out.
  if (part.size() * 2 < whole.size()) return {between(part, {})};
  if (part.size() * 2 > whole.size()) return {between(whole, {part})};
  return without_largest({between(part, {}), between(whole, {part})});
}

std::vector<Cuts::Part> Cuts::without_vertex(VertexId vertex) const {
  const Span& whole = whole_[component_[vertex]];
  std::vector<Span> below;
  std::size_t rest = whole.size() - 1;
  for (const VertexId each : falls_off_[vertex]) {
    below.push_back(below_[each]);
    rest -= below.back().size();
  }
  // The vertex itself lies before what is below it.
  std::vector<Span> holes{{place_[vertex], place_[vertex] + 1}};
  holes.insert(holes.end(), below.begin(), below.end());
  const bool is_rest_largest =
      std::all_of(below.begin(), below.end(), [&](const Span& each) { return each.size() < rest; });
  std::vector<Part> parts;
  parts.reserve(below.size() + 1);
  for (const Span& each : below)
    parts.push_back(between(each, {}));
  if (is_rest_largest) return parts;
  parts.push_back(between(whole, holes));
  return without_largest(std::move(parts));
}

std::vector<Cuts::Part> Cuts::without(
    const std::vector<VertexId>& vertices, const std::vector<EdgeId>& edges) const {
  std::vector<bool> is_seen(vertex_count()), is_cut(edges_.size());
  for (const VertexId vertex : vertices)
    is_seen[vertex] = true;
  for (const EdgeId edge : edges)
    is_cut[edge] = true;
  std::vector<std::vector<Part>> parts(whole_.size());
  for (VertexId root = 0; root < vertex_count(); ++root) {
    if (is_seen[root]) continue;
    is_seen[root] = true;
    Part part{root};
    for (std::size_t i = 0; i < part.size(); ++i) {
      const VertexId vertex = part[i];
      for (const EdgeId edge : at_[vertex]) {
        const VertexId there = other_end(edge, vertex);
        if (is_cut[edge] || is_seen[there]) continue;
        is_seen[there] = true;
        part.push_back(there);
      }
    }
    parts[component_[root]].push_back(std::move(part));
  }
  std::vector<Part> all;
  for (std::vector<Part>& of_component : parts) {
    for (Part& part : without_largest(std::move(of_component)))
      all.push_back(std::move(part));
  }
  return all;
}

}  // namespace fabric::graph
