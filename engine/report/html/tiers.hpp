// SPDX-License-Identifier: Apache-2.0
// How far each node is from the hosts, and which nodes stand together. Pure.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "engine/report/html/layout.hpp"

namespace fabric::report {

// The indexes of those that each node is cabled to, ascending, each once.
std::vector<std::vector<std::size_t>> neighbours(const Wiring& wiring);

// Of each node: hosts 0, switches with hosts 1, others one more than the nearest below them.
std::vector<std::size_t> tiers(const Wiring& wiring);

// Nodes that stand together.
struct Company {
  std::string title;  // "rack r1"; "" = none
  bool is_circle = false;
  std::vector<std::size_t> nodes;  // of a circle, in the order around it
};

// Every node but the switches of the second tier and above, which belong to no block unless they
// are in a rack with hosts. In order of their first nodes.
std::vector<Company> companies(const Wiring& wiring);

}  // namespace fabric::report
