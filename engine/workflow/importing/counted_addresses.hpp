// SPDX-License-Identifier: Apache-2.0
// Addresses of a network's ports, as short as a document can say them.
#pragma once

#include <string>
#include <vector>

#include "engine/description/description.hpp"
#include "providers/seen/seen_node.hpp"

namespace fabric::workflow {

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
