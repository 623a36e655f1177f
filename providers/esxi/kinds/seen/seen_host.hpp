// SPDX-License-Identifier: Apache-2.0
// The facts of an ESXi host that can be written into a document: its cards with their virtual
// functions, options of their drivers, and virtual switches on their ports.
#pragma once

#include "engine/platform/facts.hpp"
#include "providers/seen/seen_node.hpp"

namespace fabric::providers::esxi {

// REQUIRES: facts.reachable().
SeenNode see_host(const NodeFacts& facts);

}  // namespace fabric::providers::esxi
