// SPDX-License-Identifier: Apache-2.0
// VLANs and addresses at the ports of managed switches: pings pass where all ports of a network are
// in one wrong VLAN, so each port is compared with the document.
#pragma once

#include <vector>

#include "engine/base/diagnostic.hpp"
#include "engine/discovery/snapshot.hpp"
#include "engine/model/resource.hpp"

namespace fabric::verify {

// Rules switch-vlan-differs, and switch-vlan-unknown where the switch was asked and its answer does
// not tell.
std::vector<Diagnostic> network_differences(
    const std::vector<Resource>& resources, const discovery::Snapshot& snapshot);

}  // namespace fabric::verify
