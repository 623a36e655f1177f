// SPDX-License-Identifier: Apache-2.0
// Interfaces that are not called what the document calls them.
#pragma once

#include <vector>

#include "engine/base/diagnostic.hpp"
#include "engine/discovery/evidence.hpp"

namespace fabric::verify {

// Rule `interface-renamed`: of ports that have an interface at all.
std::vector<Diagnostic> renamed_interfaces(
    const FabricSpec& spec, const discovery::Evidence& evidence);

}  // namespace fabric::verify
