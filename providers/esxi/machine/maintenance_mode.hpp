// SPDX-License-Identifier: Apache-2.0
// The maintenance mode of an ESXi host, and the note of who entered it. A file would be lost at the
// next boot (E-esxi-files); an advanced setting of one's own is kept with the configuration.
#pragma once

#include <string_view>

#include "engine/platform/maintenance_mode.hpp"

namespace fabric::platform {

// "FabricMaintenance": below /UserVars. Its values: "entered" by a run; "found" entered by somebody
// else; "none".
inline constexpr std::string_view kMaintenanceNote = "FabricMaintenance";

const MaintenanceMode& esxi_maintenance_mode();

}  // namespace fabric::platform
