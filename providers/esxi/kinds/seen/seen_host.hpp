// SPDX-License-Identifier: Apache-2.0
// Facts of an ESXi host that a document can have: its cards with their virtual functions, options
// of their drivers, and the virtual switches that their ports carry.
#pragma once

#include "engine/platform/facts.hpp"
#include "providers/seen/seen_node.hpp"

namespace fabric::providers::esxi {

// REQUIRES: facts.reachable().
SeenNode see_host(const NodeFacts& facts);

}  // namespace fabric::providers::esxi
