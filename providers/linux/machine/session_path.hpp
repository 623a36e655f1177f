// SPDX-License-Identifier: Apache-2.0
// The path of our own SSH session on a Linux host.
#pragma once

#include "engine/platform/facts.hpp"
#include "engine/platform/probe.hpp"
#include "engine/platform/session_path.hpp"

namespace fabric::platform {

// Finds the session's client in the environment of the shell, of its parent if sudo has cleared it,
// and follows the route back to it, and the address that it came to, down to the ports: through
// bridges, bonds, teams, VLANs, VRFs, macvlans and virtual functions by what the kernel says lies
// beneath, through bridges of Open vSwitch by ovs-vsctl, through tunnels by the route to their
// other end. Where that way is lost (another network namespace, a tunnel without an end, a route
// over loopback) a line says so. Where the route is chosen from: the destinations of the interface
// that has it.
Probe session_probe();
// Facts of an older form, which tell no device, are of a path that is not known.
SessionPath session_path_of(const NodeFacts& facts);

}  // namespace fabric::platform
