// SPDX-License-Identifier: Apache-2.0
// The fabric of many hosts, by their facts.
#pragma once

#include <vector>

#include "engine/description/description.hpp"
#include "engine/platform/facts.hpp"

namespace fabric::workflow {

// Networks by fabric's own files on the nodes, else by mode and subnet; cables by LLDP; where two
// ports of a network are left without evidence, the cable between them, with a note. Addresses that
// a document counts by itself are left out. Hosts that were not reached, and hosts whose name and
// platform alone are read, are nodes without a card, with a note.
description::Description describe(const std::vector<NodeFacts>& facts);

}  // namespace fabric::workflow
