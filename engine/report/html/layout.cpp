// SPDX-License-Identifier: Apache-2.0
#include "engine/report/html/layout.hpp"

#include <algorithm>
#include <cmath>
#include <deque>
#include <map>
#include <numbers>
#include <set>

#include <fmt/format.h>

#include "engine/graph/dag.hpp"

namespace fabric::report {

namespace {

// How far each node is from the hosts, and which nodes stand together. Pure.

// Nodes that stand together.
struct Company {
  std::string title;  // "rack r1"; "" = none
  bool is_circle = false;
  std::vector<std::size_t> nodes;  // of a circle, in the order around it
};

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

// A walk along the cables that takes the lowest neighbour first, so around a ring.
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

// The key by which nodes of a part with switches form a block: their rack, or their switches.
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

  // Without a key for a switch above the first tier.
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
  std::set<std::string> racks_;                                   // racks that have hosts
  std::map<std::size_t, std::vector<std::size_t>> above_;         // of hosts, their switches
  std::map<std::size_t, std::vector<std::size_t>> first_with_{};  // of switches, those of a host
};

// The indexes of those that each node is cabled to, ascending, each once.
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

// Tier of each node: hosts 0, switches with hosts 1, others one above the nearest below them.
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

// Every node but the switches of the second tier and above, which belong to no block unless they
// are in a rack with hosts. In order of their first nodes.
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

constexpr std::int64_t kLetter = 8;  // of a name, most of them
constexpr std::int64_t kLeastBox = 84;
constexpr std::int64_t kMostBox = 212;
constexpr std::int64_t kGutter = 26;  // between boxes of a row: where cables go down
constexpr std::int64_t kPadding = 10;
constexpr std::int64_t kTitle = 22;
constexpr std::int64_t kBetweenTiers = 26;
constexpr std::int64_t kBetweenBlocks = 18;
constexpr std::int64_t kBelowUpperTier = 80;
// Wider than high, as screens are.
constexpr double kShape = 1.9;
// So many switches of an upper tier are still boxes of their own where hosts are grouped.
constexpr std::size_t kMostSwitchesAlone = 8;

struct Block {
  Frame frame;
  bool has_frame = false;
  std::vector<Box> boxes;  // in the coordinates of the block
};

std::string group_title(std::size_t number, bool are_switches) {
  return fmt::format("{} {}", number, are_switches ? "switches" : "hosts");
}

// One box for each node, or one for all.
std::vector<Box> boxes_of(const std::vector<std::size_t>& nodes, std::size_t tier, bool as_one) {
  std::vector<Box> boxes;
  if (as_one && nodes.size() > 1) {
    boxes.push_back({nodes, group_title(nodes.size(), tier != 0), tier});
    return boxes;
  }
  for (const std::size_t node : nodes)
    boxes.push_back({{node}, "", tier});
  return boxes;
}

std::int64_t box_width(const Wiring& wiring, bool grouped) {
  // "18 switches"
  std::size_t letters = grouped ? 11 : 0;
  for (const Wiring::Node& node : wiring.nodes)
    letters = std::max(letters, node.name.size());
  const auto width = static_cast<std::int64_t>(std::min<std::size_t>(letters, 64)) * kLetter + 30;
  return std::clamp(width, kLeastBox, kMostBox);
}

std::size_t columns_for(std::size_t boxes, std::int64_t cell) {
  const double columns = std::sqrt(
      static_cast<double>(boxes) * kShape * static_cast<double>(kRowHeight) /
      static_cast<double>(cell));
  return std::max<std::size_t>(1, static_cast<std::size_t>(std::lround(columns)));
}

// Rows of at most `columns` boxes, each row in the middle of `width`; returns the height.
std::int64_t set_rows(
    std::vector<Box>& boxes,
    std::size_t columns,
    std::int64_t cell,
    std::int64_t width,
    std::int64_t top) {
  for (std::size_t i = 0; i < boxes.size(); ++i) {
    const std::size_t row = i / columns;
    const std::size_t in_row = std::min(columns, boxes.size() - row * columns);
    // Hosts are in columns; switches in the middle above their lower nodes.
    const std::size_t slots = boxes[i].tier == 0 ? std::min(columns, boxes.size()) : in_row;
    const std::int64_t left = (width - static_cast<std::int64_t>(slots) * cell) / 2;
    boxes[i].row = row;
    boxes[i].x = left + static_cast<std::int64_t>(i % columns) * cell + cell / 2;
    boxes[i].y = top + static_cast<std::int64_t>(row) * kRowHeight + kRowHeight / 2;
  }
  return static_cast<std::int64_t>((boxes.size() + columns - 1) / columns) * kRowHeight;
}

Block circle(const Company& company, std::int64_t width) {
  Block block;
  const auto number = static_cast<double>(company.nodes.size());
  const double wanted = number * static_cast<double>(width + kGutter) / (2 * std::numbers::pi);
  const double across = wanted + 60;
  const double up = company.nodes.size() == 2 ? 0 : std::max(90.0, wanted * 0.75);
  const std::int64_t middle_x = std::lround(across) + width / 2 + kPadding;
  const std::int64_t middle_y = std::lround(up) + kBoxHeight / 2 + kPadding;
  for (std::size_t i = 0; i < company.nodes.size(); ++i) {
    // Two stand side by side, and four on a side of their square.
    const double angle = std::numbers::pi * ((2 * static_cast<double>(i) - 1) / number - 0.5);
    Box box{{company.nodes[i]}, "", 0};
    box.x = middle_x + std::lround(across * std::cos(angle));
    box.y = middle_y + std::lround(up * std::sin(angle));
    block.boxes.push_back(box);
  }
  block.frame.width = 2 * middle_x;
  block.frame.height = 2 * middle_y;
  return block;
}

Block rows(
    const Company& company, const std::vector<std::size_t>& tier, std::int64_t cell, bool grouped) {
  std::map<std::size_t, std::vector<std::size_t>, std::greater<>> by_tier;
  for (const std::size_t node : company.nodes)
    by_tier[tier[node]].push_back(node);
  std::vector<std::vector<Box>> levels;
  std::size_t columns = 1;
  for (const auto& [level, nodes] : by_tier) {
    levels.push_back(
        boxes_of(nodes, level, grouped && (level == 0 || nodes.size() > kMostSwitchesAlone)));
    const std::size_t number = levels.back().size();
    const std::size_t least = level == 0 ? 1 : std::min<std::size_t>(number, 4);
    columns = std::max({columns, least, std::min(number, columns_for(number, cell))});
  }
  Block block;
  block.has_frame = true;
  block.frame.title = company.title;
  block.frame.width = static_cast<std::int64_t>(columns) * cell + 2 * kPadding;
  std::int64_t top = kPadding / 2 + (company.title.empty() ? 0 : kTitle);
  for (std::vector<Box>& level : levels) {
    if (&level != &levels.front()) top += kBetweenTiers;
    top += set_rows(level, columns, cell, block.frame.width, top);
    block.boxes.insert(block.boxes.end(), level.begin(), level.end());
  }
  block.frame.height = top + kPadding / 2;
  return block;
}

// How many lines the blocks take that are no wider.
std::size_t lines_of(const std::vector<Block>& blocks, std::int64_t width) {
  std::size_t lines = 1;
  std::int64_t x = 0;
  for (const Block& block : blocks) {
    if (x > 0 && x + block.frame.width > width) {
      x = 0;
      ++lines;
    }
    x += block.frame.width + kBetweenBlocks;
  }
  return lines;
}

// The least width at which the blocks take no more lines than at one that makes the drawing as wide
// as screens are: no line is left almost empty.
std::int64_t line_width(const std::vector<Block>& blocks) {
  double area = 0;
  std::int64_t least = 0;
  for (const Block& block : blocks) {
    area += static_cast<double>(block.frame.width + kBetweenBlocks) *
            static_cast<double>(block.frame.height + kBetweenBlocks);
    least = std::max(least, block.frame.width);
  }
  std::int64_t most = std::max<std::int64_t>(least, std::lround(std::sqrt(area * kShape)));
  const std::size_t lines = lines_of(blocks, most);
  while (least < most) {
    const std::int64_t middle = (least + most) / 2;
    if (lines_of(blocks, middle) > lines) {
      least = middle + 1;
    } else {
      most = middle;
    }
  }
  return most;
}

// Puts blocks side by side in rows of about the same width, and moves their contents to the
// coordinates of the drawing.
void pack(std::vector<Block>& blocks, Arrangement& layout) {
  const std::int64_t wanted = line_width(blocks);
  std::int64_t x = kPadding;
  std::int64_t y = layout.height;
  std::int64_t line_height = 0;
  for (Block& block : blocks) {
    if (x > kPadding && x + block.frame.width > wanted + kPadding) {
      x = kPadding;
      y += line_height + kBetweenBlocks;
      line_height = 0;
    }
    block.frame.x = x;
    block.frame.y = y;
    x += block.frame.width + kBetweenBlocks;
    line_height = std::max(line_height, block.frame.height);
    layout.width = std::max(layout.width, x - kBetweenBlocks + kPadding);
  }
  layout.height = y + line_height + kPadding;
}

// The switches above all blocks, the highest tier first.
std::map<std::size_t, std::vector<std::size_t>, std::greater<>> upper_tiers(
    const Wiring& wiring,
    const std::vector<std::size_t>& tier,
    const std::vector<Company>& companies) {
  std::vector<bool> stands(wiring.nodes.size(), false);
  for (const Company& company : companies) {
    for (const std::size_t node : company.nodes)
      stands[node] = true;
  }
  std::map<std::size_t, std::vector<std::size_t>, std::greater<>> upper;
  for (std::size_t node = 0; node < wiring.nodes.size(); ++node) {
    if (!stands[node]) upper[tier[node]].push_back(node);
  }
  return upper;
}

}  // namespace

Arrangement arrange(const Wiring& wiring, bool grouped) {
  Arrangement layout;
  layout.box_width = box_width(wiring, grouped);
  const std::int64_t cell = layout.box_width + kGutter;
  const std::vector<std::size_t> tier = tiers(wiring);
  const std::vector<Company> together = companies(wiring);
  std::vector<Block> blocks;
  for (const Company& company : together) {
    blocks.push_back(
        company.is_circle ? circle(company, layout.box_width) : rows(company, tier, cell, grouped));
  }
  // The blocks are arranged alone first: they limit the width of the tiers above them.
  Arrangement below;
  pack(blocks, below);
  layout.width = std::max(below.width, cell + 2 * kPadding);
  layout.height = kPadding;
  for (auto& [level, nodes] : upper_tiers(wiring, tier, together)) {
    std::vector<Box> boxes = boxes_of(nodes, level, grouped && nodes.size() > kMostSwitchesAlone);
    const auto most = static_cast<std::size_t>((layout.width - 2 * kPadding) / cell);
    const std::size_t lines = (boxes.size() + most - 1) / most;
    layout.height +=
        set_rows(boxes, (boxes.size() + lines - 1) / lines, cell, layout.width, layout.height) +
        kBelowUpperTier;
    layout.boxes.insert(layout.boxes.end(), boxes.begin(), boxes.end());
  }
  pack(blocks, layout);
  for (const Block& block : blocks) {
    if (block.has_frame) layout.frames.push_back(block.frame);
    for (Box box : block.boxes) {
      box.x += block.frame.x;
      box.y += block.frame.y;
      layout.boxes.push_back(std::move(box));
    }
  }
  return layout;
}

}  // namespace fabric::report
