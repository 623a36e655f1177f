// SPDX-License-Identifier: Apache-2.0
// Addresses of a network's ports, as short as a document can say them.
#pragma once

#include <string>
#include <vector>

#include "engine/description/description.hpp"
#include "providers/seen/seen_node.hpp"

namespace fabric::workflow {

// The subnet alone where a document would count just these addresses (model/document/allocate.hpp),
// else each of them. Ports without an address have none; one of another subnet than most is left
// out with a note.
// Gateway and routes are a network's where all hosts with an address have the same ones.
description::Addresses addresses_of(
    const std::vector<const providers::SeenPort*>& ports, std::vector<std::string>& notes);
// The same of IPv6.
description::Addresses addresses6_of(
    const std::vector<const providers::SeenPort*>& ports, std::vector<std::string>& notes);

}  // namespace fabric::workflow
