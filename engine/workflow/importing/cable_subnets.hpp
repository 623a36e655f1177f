// SPDX-License-Identifier: Apache-2.0
// Networks in which each cable between two hosts is a subnet of its own.
#pragma once

#include <string>
#include <vector>

#include "engine/description/description.hpp"
#include "providers/seen/seen_node.hpp"

namespace fabric::workflow {

// "10.40.0.0/31" where an address is of a link of two: /31 or /30; else "".
std::string pair_subnet(const std::string& address);

// Whether these ports of one network have such addresses, of more than one cable.
bool has_cable_subnets(const std::vector<const providers::SeenPort*>& ports);

// Their addresses as `per: cable`, with what forwards between them; two ports of one subnet that
// nothing else tells the cables of are cabled to each other. REQUIRES: has_cable_subnets().
void add_cable_subnets(
    const std::vector<const providers::SeenPort*>& ports, description::Network& network);

}  // namespace fabric::workflow
