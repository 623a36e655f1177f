// SPDX-License-Identifier: Apache-2.0
// Which pings to make.
#pragma once

#include <cstddef>
#include <map>
#include <vector>

#include "engine/discovery/evidence.hpp"
#include "engine/discovery/snapshot.hpp"
#include "engine/model/spec.hpp"
#include "engine/verify/report/path_report.hpp"

namespace fabric::verify {

// Every ordered pair of 16 ports is 240 pings, 14 or so a node; beyond that it grows too fast.
inline constexpr std::size_t kPortsForAllPairs = 16;

// The paths between different nodes that were reached, by each family of addresses that both ends
// have. In a chain: every ordered pair of ports of
// up to 16; beyond that, from every port to the ports of the nearest nodes along its cable and to
// the farthest. In other networks, and in each of their VLANs: from every port or bond with an
// address to all others that its cables lead to, directly or over declared switches, or to the next
// three if there are more than 15; the same from loopback to loopback. Left out are P_Key children
// of IPoIB, and sources without an interface; a bond that does not exist counts.
std::vector<Path> paths_to_test(const FabricSpec& spec, const discovery::Snapshot& snapshot);

// For each host that was not reached: the number of paths that end at it and would be tested if all
// hosts had been reached; a path with two such ends counts for its source.
std::map<NodeName, std::size_t> untried_paths(
    const FabricSpec& spec, const discovery::Evidence& evidence);

// True for a path from loopback to loopback, whichever ports its packets use.
bool is_loopback(const NetworkSpec& network, const Path& path);

// True if the path's bond or IPoIB interface may be ready only some seconds after it was set up.
bool settles_late(const FabricSpec& spec, const Path& path);

}  // namespace fabric::verify
