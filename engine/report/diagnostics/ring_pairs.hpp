// SPDX-License-Identifier: Apache-2.0
// Which addresses two hosts of a ring use for each other.
#pragma once

#include <cstddef>
#include <vector>

#include "engine/model/document/provenance.hpp"
#include "engine/model/spec.hpp"

namespace fabric::report {

// A way round the ring: out of a port of the one host straight into a port of the other.
struct RingWay {
  IpAddress from, to;
  std::size_t cables = 0;
};

struct RingPair {
  NodeName one, other;  // one < other
  RingWay nearer, farther;
};

// Of every two hosts, in order; both ways work in both directions. Empty where the network is no
// ring of chaining cards with IPv4 addresses.
std::vector<RingPair> ring_pairs(const FabricSpec& spec, const NetworkSpec& network);

// The same for `explain`: "networks.storage.pairs.pve1.pve2". Empty as well where the network has
// more hosts than a person reads in a table.
std::vector<Provenance> explained_pairs(const FabricSpec& spec, const NetworkSpec& network);

}  // namespace fabric::report
