// SPDX-License-Identifier: Apache-2.0
// Hosts that lose traffic by work at their switches.
#pragma once

#include <map>
#include <set>
#include <vector>

#include "engine/model/resource.hpp"
#include "engine/model/spec.hpp"
#include "engine/model/topology/failure_domains.hpp"

namespace fabric::plans {

// The interrupted hosts by switch. A boot of a switch and a restart of its subnet manager interrupt
// every host that is cabled to it (E-onyx-sm). Work that disturbs a port interrupts the hosts whose
// work comes after it. Hosts that are down already have nothing to lose. Switches that interrupt no
// host are left out. `disturbed`: nodes with work that interrupts at least one link; hosts among
// them do not count.
std::map<NodeName, std::set<NodeName>> hosts_behind(
    const std::set<ResourceAddress>& disturbed,
    const std::vector<Resource>& resources,
    const std::set<NodeName>& reboots,
    const FabricSpec& spec,
    const Down& down);

}  // namespace fabric::plans
