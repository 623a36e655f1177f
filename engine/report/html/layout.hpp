// SPDX-License-Identifier: Apache-2.0
// The positions of the boxes of a drawing: switches above the nodes cabled to them, one block for
// each rack or switch, a ring as a circle. Pure, in whole numbers: the same fabric gives the same
// drawing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace fabric::report {

// The nodes and cables to be drawn.
struct Wiring {
  struct Node {
    std::string name;
    bool is_switch = false;
    std::string rack;  // "" = not given
  };
  std::vector<Node> nodes;                                  // in the order in which they stand
  std::vector<std::pair<std::size_t, std::size_t>> cables;  // indexes of nodes
};

struct Box {
  std::vector<std::size_t> nodes;  // indexes, never empty
  std::string title;               // of a group: "18 hosts"; "" = the name of its only node
  std::size_t tier = 0;            // 0: hosts; 1: the switches that hosts are cabled to; and so on
  std::size_t row = 0;             // within the hosts of its block
  std::int64_t x = 0, y = 0;       // of its middle
};

struct Frame {
  std::string title;  // "rack r1"; "" = none
  std::int64_t x = 0, y = 0, width = 0, height = 0;
};

struct Arrangement {
  std::vector<Box> boxes;
  std::vector<Frame> frames;
  std::int64_t width = 0, height = 0, box_width = 0;
};

inline constexpr std::int64_t kBoxHeight = 28;
inline constexpr std::int64_t kRowHeight = 42;

// `grouped`: the hosts of a block are one box, and so are many switches of a tier.
Arrangement arrange(const Wiring& wiring, bool grouped);

}  // namespace fabric::report
