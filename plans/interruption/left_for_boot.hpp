// SPDX-License-Identifier: Apache-2.0
// Side effects of the plan's boots: settings that another program left for the next boot and that
// the document does not name.
#pragma once

#include <set>
#include <vector>

#include "engine/base/diagnostic.hpp"
#include "engine/discovery/snapshot.hpp"
#include "engine/model/resource.hpp"
#include "engine/model/rule.hpp"
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

}  // namespace fabric::plans
