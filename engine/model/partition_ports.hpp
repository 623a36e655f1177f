// Whom the members of a partition mean.
#pragma once

#include <string_view>

#include "engine/model/names.hpp"

namespace fabric {

// True if `who` of `members` ("node", "node/1", "node/adapter/1", "ALL") means this member port.
// SELF is the manager's own port and means no other.
bool means_port(std::string_view who, const PortRef& port);

}  // namespace fabric
