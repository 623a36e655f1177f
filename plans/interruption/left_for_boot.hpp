// SPDX-License-Identifier: Apache-2.0
// Side effects of the plan's boots: settings that another program left for the next boot and that
// the document does not name.
#pragma once

#include <map>
#include <set>
#include <vector>

#include "engine/base/diagnostic.hpp"
#include "engine/discovery/snapshot.hpp"
#include "engine/model/resource.hpp"
#include "engine/model/rule.hpp"
#include "engine/model/spec.hpp"
#include "engine/model/topology/failure_domains.hpp"
#include "engine/provider/registry.hpp"

namespace fabric::plans {

RuleRows left_for_boot_rules();  // boot-activates

// One finding for each resource of a node of `reboots` whose provider sees a change that waits for
// the boot.
void name_left_for_boot(
    const std::set<NodeName>& reboots,
    const std::vector<Resource>& resources,
    const discovery::Snapshot& snapshot,
    const Registry& registry,
    Diagnostics& diagnostics);

// Hosts that lose traffic by work at their switches.
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
