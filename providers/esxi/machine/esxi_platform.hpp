// SPDX-License-Identifier: Apache-2.0
// The platform `esxi`: VMware ESXi 7 and 8 by its SSH shell. It is disrupted in maintenance mode.
// It has no lock, no files that outlive a boot, no rollback timer and no path tests.
#pragma once

#include "engine/platform/host_platform.hpp"

namespace fabric::platform {

// The probe of NICs, which parse_esxcli_nic_list reads too (providers/esxi/parsers).
Probe esxi_nic_probe();

// The one object for the whole program; it has no state.
const HostPlatform& esxi_platform();

}  // namespace fabric::platform
