// Interfaces that are not called what the document calls them.
#pragma once

#include <vector>

#include "engine/verify/evidence/evidence.hpp"
#include "engine/verify/verify.hpp"

namespace fabric::verify {

// Rule `interface-renamed`: of ports that have an interface at all.
std::vector<Finding> renamed_interfaces(const FabricSpec& spec, const Evidence& evidence);

}  // namespace fabric::verify
