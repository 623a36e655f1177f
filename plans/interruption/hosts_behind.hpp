// SPDX-License-Identifier: Apache-2.0
// Which hosts lose traffic by what is done to their switches.
#pragma once

#include <map>
#include <set>
#include <vector>

#include "engine/model/resource.hpp"
#include "engine/model/spec.hpp"
#include "engine/model/topology/failure_domains.hpp"

namespace fabric::plans {

// By switch. A boot and a restart of its subnet manager interrupt every host that is cabled to it
// (E-onyx-sm); what disturbs a port interrupts the hosts whose work comes after it. Hosts that are
// down already have nothing to lose. Switches that interrupt nobody are left out. `disturbed`: what
// is changed in a way that interrupts a link or more; those of hosts do not count.
std::map<NodeName, std::set<NodeName>> hosts_behind(
    const std::set<ResourceAddress>& disturbed,
    const std::vector<Resource>& resources,
    const std::set<NodeName>& reboots,
    const FabricSpec& spec,
    const Down& down);

}  // namespace fabric::plans
