// SPDX-License-Identifier: Apache-2.0
// The platform `esxi`: VMware ESXi 7 and 8 by its SSH shell. It is disrupted in maintenance mode.
// It has no lock, no files that outlive a boot, no rollback timer and no path tests.
#pragma once

#include <string_view>

#include "engine/platform/facts.hpp"
#include "engine/platform/host_network.hpp"
#include "engine/platform/host_parts.hpp"
#include "engine/platform/host_platform.hpp"
#include "engine/platform/probe.hpp"

namespace fabric::platform {

// The probe of NICs, which parse_esxcli_nic_list reads too (providers/esxi/parsers).
Probe esxi_nic_probe();

// The one object for the whole program; it has no state.
const HostPlatform& esxi_platform();

// The maintenance mode of an ESXi host, and the record of how it was entered. A file would be lost
// at the next boot (E-esxi-files); an added advanced setting is kept with the configuration.
// An advanced setting below /UserVars: "entered" by a run; "found", the host was in the mode
// already; "none".
inline constexpr std::string_view kMaintenanceNote = "FabricMaintenance";

const MaintenanceMode& esxi_maintenance_mode();

// The uplinks of an ESXi host that carry the session, from the probe "session".
Probe esxi_session_probe();
SessionPath esxi_session_path(const NodeFacts& facts);

}  // namespace fabric::platform
