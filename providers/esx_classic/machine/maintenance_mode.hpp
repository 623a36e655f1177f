// SPDX-License-Identifier: Apache-2.0
// The maintenance mode of an ESX host, entered from its service console, and the record of how it
// was entered: "entered" by a run, "found" if the host was in it already, "none".
#pragma once

#include "engine/platform/maintenance_mode.hpp"
#include "engine/platform/probe.hpp"

namespace fabric::platform {

const MaintenanceMode& esx_classic_maintenance_mode();

// Prints "mode true" and "note entered". The first line is missing where the host does not tell it.
Probe esx_classic_maintenance_probe();

}  // namespace fabric::platform
