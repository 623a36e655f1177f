// SPDX-License-Identifier: Apache-2.0
// The probes of a Linux host by which `verify` judges cables and providers judge carriers.
#pragma once

#include <vector>

#include "engine/base/result.hpp"
#include "engine/platform/facts.hpp"
#include "engine/platform/neighbour.hpp"
#include "engine/platform/probe.hpp"

namespace fabric::platform {

// The probe of network devices with hardware in sysfs (platform/shell/link_state.hpp).
Probe link_state_probe();
// The probe of neighbours that lldpd heard, as JSON. It fails with the reason why they are unknown.
Probe lldp_probe();
Result<std::vector<Neighbour>> lldp_neighbours(const NodeFacts& facts);

}  // namespace fabric::platform
