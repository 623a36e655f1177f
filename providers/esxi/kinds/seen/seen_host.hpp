// SPDX-License-Identifier: Apache-2.0
// What the facts of an ESXi host say that a document could say: its cards with their virtual
// functions, options of their drivers, and the virtual switches that their ports carry.
#pragma once

#include "engine/platform/facts.hpp"
#include "providers/seen/seen_node.hpp"

namespace fabric::providers::esxi {

// REQUIRES: facts.reachable().
SeenNode see_host(const NodeFacts& facts);

}  // namespace fabric::providers::esxi
