// SPDX-License-Identifier: Apache-2.0
// VLANs and addresses at the ports of managed switches: pings pass where all ports of a network are
// in one wrong VLAN, so each port is compared with the document.
#pragma once

#include <vector>

#include "engine/base/diagnostic.hpp"
#include "engine/discovery/snapshot.hpp"
#include "engine/model/resource.hpp"

namespace fabric::verify {

// Rule switch-vlan-differs. What was not read is no finding here.
void add_switch_vlans(
    const std::vector<Resource>& resources,
    const discovery::Snapshot& snapshot,
    Diagnostics& diagnostics);

}  // namespace fabric::verify
