// SPDX-License-Identifier: Apache-2.0
// The fabric of many hosts, by their facts.
#pragma once

#include <string>
#include <vector>

#include "engine/description/description.hpp"
#include "engine/platform/facts.hpp"
#include "providers/seen/seen_node.hpp"

namespace fabric::workflow {

// Networks by fabric's own files on the nodes, else by mode and subnet; cables by LLDP; where two
// ports of a network are left without evidence, the cable between them, with a note. Addresses that
// a document counts by itself are left out. Hosts that were not reached, and hosts whose name and
// platform alone are read, are nodes without a card, with a note.
description::Description describe(const std::vector<NodeFacts>& facts);

// Addresses of a network's ports, as short as a document can say them.
// Gives only the subnet if a document would count exactly these addresses
// (model/document/allocate.hpp), else each of them. Ports without an address have none; an address
// of another subnet than most is left out with a note. Gateway and routes are the network's if all
// hosts with an address have the same ones.
description::Addresses addresses_of(
    const std::vector<const providers::SeenPort*>& ports, std::vector<std::string>& notes);
// As addresses_of(), for IPv6.
description::Addresses addresses6_of(
    const std::vector<const providers::SeenPort*>& ports, std::vector<std::string>& notes);

}  // namespace fabric::workflow
