// SPDX-License-Identifier: Apache-2.0
// The names that a document gives: what findings about it differ in.
#pragma once

#include <set>
#include <string>

#include "engine/model/spec.hpp"

namespace fabric {

// Of nodes, adapters and networks. For Diagnostics::find_names.
std::set<std::string, std::less<>> names_in(const FabricSpec& spec);

}  // namespace fabric
