// SPDX-License-Identifier: Apache-2.0
// Which addresses two hosts of a ring use for each other.
#pragma once

#include <vector>

#include "engine/model/document/provenance.hpp"
#include "engine/model/spec.hpp"

namespace fabric::report {

// Of every two hosts the pair of addresses on the shorter way round and the pair on the other:
// "networks.storage.pairs.pve1.pve2". Empty where the network is no ring of chaining cards with
// IPv4 addresses, or has more hosts than a person reads in a table.
std::vector<Provenance> ring_pairs(const FabricSpec& spec, const NetworkSpec& network);

}  // namespace fabric::report
