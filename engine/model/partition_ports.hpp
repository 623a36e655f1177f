// Whom the members of a partition mean.
#pragma once

#include <cstddef>
#include <string_view>

#include "engine/model/spec.hpp"

namespace fabric {

// True if `who` of `members` ("node", "node/1", "node/adapter/1", "ALL") means this member port.
// SELF is the manager's own port and means no other.
bool means_port(std::string_view who, const PortRef& port);

// How much a member says, for of two that are about the same port the one that says more counts:
// ALL, then SELF, then a node, then its ports.
std::ptrdiff_t specificity(const PartitionMember& member);

}  // namespace fabric
