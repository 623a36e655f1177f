// SPDX-License-Identifier: Apache-2.0
// The probes by which `verify` judges cables on a Linux host, and the providers carriers.
#pragma once

#include <vector>

#include "engine/base/result.hpp"
#include "engine/platform/facts.hpp"
#include "engine/platform/neighbour.hpp"
#include "engine/platform/probe.hpp"

namespace fabric::platform {

// Devices with hardware as sysfs shows them (platform/shell/link_state.hpp).
Probe link_state_probe();
// The neighbours that lldpd heard, as its JSON. Fails with why they are not known.
Probe lldp_probe();
Result<std::vector<Neighbour>> lldp_neighbours(const NodeFacts& facts);

}  // namespace fabric::platform
