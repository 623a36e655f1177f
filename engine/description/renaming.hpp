// SPDX-License-Identifier: Apache-2.0
// Renames a node in all parts of a description.
#pragma once

#include <functional>
#include <string>

#include "engine/description/description.hpp"

namespace fabric::description {

// Replaces each end in a network by the result of `other`; addresses, members and managers whose
// end is nullopt are removed.
void change_ends(Network& network, const std::function<std::optional<End>(const End&)>& other);

// False, without a change, if there is a node `to` already.
bool rename_node(Description& description, const std::string& from, const std::string& to);

}  // namespace fabric::description
