// SPDX-License-Identifier: Apache-2.0
// The addresses that two hosts of a ring use for each other.
#pragma once

#include <cstddef>
#include <vector>

#include "engine/model/document/provenance.hpp"
#include "engine/model/spec.hpp"

namespace fabric::report {

// A way round the ring: from a port of one host to a port of the other.
struct RingWay {
  IpAddress from, to;
  std::size_t cables = 0;
};

struct RingPair {
  NodeName one, other;  // one < other
  RingWay nearer, farther;
};

// The pairs of all hosts, in order; both ways work in both directions. Empty if the network is no
// ring of chaining cards with IPv4 addresses.
std::vector<RingPair> ring_pairs(const FabricSpec& spec, const NetworkSpec& network);

// The pairs for `explain`: "networks.storage.pairs.pve1.pve2". Also empty if the network has too
// many hosts for a table.
std::vector<Provenance> explained_pairs(const FabricSpec& spec, const NetworkSpec& network);

}  // namespace fabric::report
