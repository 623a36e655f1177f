// SPDX-License-Identifier: Apache-2.0
// What `verify` judges cables by on a Linux host, and the providers carriers.
#pragma once

#include "engine/provider/provider.hpp"

namespace fabric::platform {

// Devices with hardware as sysfs shows them (engine/provider/link_state).
Probe link_state_probe();
// The neighbours that lldpd heard, as its JSON.
Probe lldp_probe();

}  // namespace fabric::platform
