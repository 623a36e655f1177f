// SPDX-License-Identifier: Apache-2.0
// A node of a description under another name, wherever it stands.
#pragma once

#include <functional>
#include <string>

#include "engine/description/description.hpp"

namespace fabric::description {

// Each end that a network names becomes what `other` makes of it; an address, a member or a manager
// whose end is none any more is left out.
void change_ends(Network& network, const std::function<std::optional<End>(const End&)>& other);

// False, and nothing is changed, where `to` is a node already.
bool rename_node(Description& description, const std::string& from, const std::string& to);

}  // namespace fabric::description
