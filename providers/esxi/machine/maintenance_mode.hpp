// SPDX-License-Identifier: Apache-2.0
// The maintenance mode of an ESXi host, and the record of how it was entered. A file would be lost
// at the next boot (E-esxi-files); an added advanced setting is kept with the configuration.
#pragma once

#include <string_view>

#include "engine/platform/maintenance_mode.hpp"

namespace fabric::platform {

// An advanced setting below /UserVars: "entered" by a run; "found", the host was in the mode
// already; "none".
inline constexpr std::string_view kMaintenanceNote = "FabricMaintenance";

const MaintenanceMode& esxi_maintenance_mode();

}  // namespace fabric::platform
