// The path of our own SSH session on a Linux host.
#pragma once

#include "engine/platform/session_path.hpp"
#include "engine/provider/facts.hpp"
#include "engine/provider/provider.hpp"

namespace fabric::platform {

// Finds the session's client in the environment of the shell, of its parent if sudo has cleared it,
// and follows the route back to it down through bridges, bonds and VLANs. Where that route is
// chosen from: the destinations of the interface that has it.
Probe session_probe();
SessionPath session_path_of(const NodeFacts& facts);

}  // namespace fabric::platform
