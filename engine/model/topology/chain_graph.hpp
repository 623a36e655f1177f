// SPDX-License-Identifier: Apache-2.0
// ChainGraph: the adapters of a chain network and the cables between them. The two ports of an
// adapter are one station, because the card forwards between them.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "engine/model/spec.hpp"

namespace fabric {

struct ChainLink {
  std::size_t peer = 0;  // index of the station at the other end
  std::uint32_t port = 0;
  const CableSpec* cable = nullptr;
};

struct ChainStation {
  NodeName node;
  std::string adapter;
  std::vector<ChainLink> links;  // in order of port
};

// Stations that are joined by cables.
struct ChainPart {
  // In the order of a walk along the cables, from the lowest station of a ring or the lowest end of
  // a path, by its lowest port; in order of name if there is a branch.
  std::vector<std::size_t> stations;
  bool closed = false;
  bool branched = false;
};

struct ChainGraph {
  std::vector<ChainStation> stations;  // in order of node, adapter
  std::vector<ChainPart> parts;        // in order of their lowest station
};

// Omits switch ports, and ports without a declared cable, whose stations stand alone.
ChainGraph chain_graph(const NetworkSpec& network);

}  // namespace fabric
