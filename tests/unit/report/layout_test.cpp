// SPDX-License-Identifier: Apache-2.0
#include "engine/report/html/layout.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <string>

#include "tests/support/catch.hpp"

namespace fabric::report::test {
namespace {

Wiring ring(std::size_t nodes) {
  Wiring wiring;
  for (std::size_t i = 0; i < nodes; ++i) {
    wiring.nodes.push_back({"pve" + std::to_string(i + 1), false, ""});
    wiring.cables.emplace_back(i, (i + 1) % nodes);
  }
  return wiring;
}

// Leaves with hosts, and spines above all leaves.
Wiring tree(std::size_t leaves, std::size_t hosts, std::size_t spines) {
  Wiring wiring;
  for (std::size_t leaf = 0; leaf < leaves; ++leaf)
    wiring.nodes.push_back({"leaf" + std::to_string(leaf + 1), true, ""});
  for (std::size_t spine = 0; spine < spines; ++spine) {
    wiring.nodes.push_back({"spine" + std::to_string(spine + 1), true, ""});
    for (std::size_t leaf = 0; leaf < leaves; ++leaf)
      wiring.cables.emplace_back(leaf, leaves + spine);
  }
  for (std::size_t leaf = 0; leaf < leaves; ++leaf) {
    for (std::size_t host = 0; host < hosts; ++host) {
      wiring.cables.emplace_back(leaf, wiring.nodes.size());
      wiring.nodes.push_back({"c" + std::to_string(wiring.nodes.size()), false, ""});
    }
  }
  return wiring;
}

const Box& box_of(const Arrangement& layout, std::size_t node) {
  return *std::find_if(layout.boxes.begin(), layout.boxes.end(), [&](const Box& box) {
    return std::find(box.nodes.begin(), box.nodes.end(), node) != box.nodes.end();
  });
}

double distance(const Box& a, const Box& b) {
  return std::hypot(static_cast<double>(a.x - b.x), static_cast<double>(a.y - b.y));
}

// Why it can't be looked at; "" = it can.
std::string fault_of(const Arrangement& layout, std::size_t nodes) {
  std::multiset<std::size_t> seen;
  for (const Box& box : layout.boxes) {
    seen.insert(box.nodes.begin(), box.nodes.end());
    if (box.x - layout.box_width / 2 < 0 || box.x + layout.box_width / 2 > layout.width ||
        box.y - kBoxHeight / 2 < 0 || box.y + kBoxHeight / 2 > layout.height)
      return "a box lies outside of the drawing";
    for (const Box& other : layout.boxes) {
      if (&other != &box && std::abs(other.x - box.x) < layout.box_width &&
          std::abs(other.y - box.y) < kBoxHeight)
        return "two boxes lie on each other";
    }
  }
  for (std::size_t node = 0; node < nodes; ++node) {
    if (seen.count(node) != 1) return "a node is not in one box";
  }
  return {};
}

}  // namespace

TEST_CASE("a ring is drawn in the order of its cables", "[report]") {
  // Cabled across the order of the names.
  Wiring wiring = ring(6);
  wiring.cables = {{0, 3}, {3, 1}, {1, 5}, {5, 2}, {2, 4}, {4, 0}};
  const Arrangement layout = arrange(wiring, false);
  CHECK(fault_of(layout, 6).empty());
  const double across = distance(box_of(layout, 0), box_of(layout, 5));
  for (const auto& [a, b] : wiring.cables)
    CHECK(distance(box_of(layout, a), box_of(layout, b)) < across);
  CHECK(layout.frames.empty());
}

TEST_CASE("switches stand above what is cabled to them", "[report]") {
  const Wiring wiring = tree(4, 6, 2);
  const Arrangement layout = arrange(wiring, false);
  CHECK(fault_of(layout, wiring.nodes.size()).empty());
  for (const auto& [leaf, other] : wiring.cables) {
    const bool is_spine = wiring.nodes[other].is_switch;
    CHECK((box_of(layout, leaf).y > box_of(layout, other).y) == is_spine);
  }
  CHECK(layout.frames.size() == 4);
}

TEST_CASE("a pair of switches stands with the hosts that share it", "[report]") {
  Wiring wiring;
  wiring.nodes = {{"leaf1", true, ""}, {"leaf2", true, ""}, {"s1", false, ""}, {"s2", false, ""}};
  wiring.cables = {{0, 2}, {1, 2}, {0, 3}, {1, 3}, {0, 1}, {0, 1}};
  const Arrangement layout = arrange(wiring, false);
  CHECK(fault_of(layout, 4).empty());
  CHECK(layout.frames.size() == 1);
  CHECK(box_of(layout, 0).y == box_of(layout, 1).y);
  CHECK(box_of(layout, 2).y == box_of(layout, 3).y);
}

TEST_CASE("nodes of a rack stand in its frame", "[report]") {
  Wiring wiring = tree(2, 3, 1);
  for (std::size_t node = 0; node < wiring.nodes.size(); ++node) {
    if (!wiring.nodes[node].name.starts_with("spine"))
      wiring.nodes[node].rack = node % 2 == 0 ? "r1" : "r2";
  }
  const Arrangement layout = arrange(wiring, false);
  CHECK(fault_of(layout, wiring.nodes.size()).empty());
  REQUIRE(layout.frames.size() == 2);
  for (const Frame& frame : layout.frames) {
    for (const Box& box : layout.boxes) {
      const Wiring::Node& node = wiring.nodes[box.nodes.front()];
      const bool is_within = box.x > frame.x && box.x < frame.x + frame.width && box.y > frame.y &&
                             box.y < frame.y + frame.height;
      CHECK(is_within == (frame.title == "rack " + node.rack));
    }
  }
}

TEST_CASE("of a large tree the hosts of a leaf are one box, and so are the spines", "[report]") {
  const Wiring wiring = tree(36, 18, 18);
  const Arrangement grouped = arrange(wiring, true);
  CHECK(fault_of(grouped, wiring.nodes.size()).empty());
  CHECK(grouped.boxes.size() == 36 + 36 + 1);
  CHECK(box_of(grouped, 36).title == "18 switches");
  CHECK(box_of(grouped, 100).title == "18 hosts");
  const Arrangement all = arrange(wiring, false);
  CHECK(fault_of(all, wiring.nodes.size()).empty());
  CHECK(all.boxes.size() == wiring.nodes.size());
}

TEST_CASE("the order of the cables in the document moves nothing", "[report]") {
  const Wiring wiring = tree(5, 4, 3);
  Wiring reversed = wiring;
  std::reverse(reversed.cables.begin(), reversed.cables.end());
  for (auto& [a, b] : reversed.cables)
    std::swap(a, b);
  const Arrangement one = arrange(wiring, false);
  const Arrangement other = arrange(reversed, false);
  REQUIRE(one.boxes.size() == other.boxes.size());
  for (std::size_t i = 0; i < one.boxes.size(); ++i) {
    CHECK(one.boxes[i].nodes == other.boxes[i].nodes);
    CHECK(one.boxes[i].x == other.boxes[i].x);
    CHECK(one.boxes[i].y == other.boxes[i].y);
  }
}

TEST_CASE("what is cabled to nothing, or to itself, has its place", "[report]") {
  Wiring wiring;
  CHECK(arrange(wiring, false).boxes.empty());
  wiring.nodes = {{"a", false, ""}, {"b", false, ""}, {"sw", true, ""}};
  wiring.cables = {{0, 0}};
  CHECK(fault_of(arrange(wiring, false), 3).empty());
}

}  // namespace fabric::report::test
