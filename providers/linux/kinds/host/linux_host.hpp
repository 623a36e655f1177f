// SPDX-License-Identifier: Apache-2.0
// The facts of a Linux host that can be written into a document.
#pragma once

#include "engine/platform/facts.hpp"
#include "providers/seen/seen_node.hpp"

namespace fabric::providers {

// Has the ports that have an address, are in a bond, are chained, have a link as InfiniBand, or
// hear a neighbour at the other end. REQUIRES: facts.reachable(), of a Linux host.
SeenNode see_linux_host(const NodeFacts& facts);

}  // namespace fabric::providers
