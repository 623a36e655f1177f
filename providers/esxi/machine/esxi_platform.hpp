// SPDX-License-Identifier: Apache-2.0
// The platform `esxi`: VMware ESXi 7 and 8 by its SSH shell. Disrupted in maintenance mode; it has
// no lock, no files that outlive a boot, no rollback timer and no path tests.
#pragma once

#include "engine/platform/host_platform.hpp"

namespace fabric::platform {

// The NICs, as parse_esxcli_nic_list reads them too (providers/esxi/parsers).
Probe esxi_nic_probe();

// One for the whole program; it has no state.
const HostPlatform& esxi_platform();

}  // namespace fabric::platform
