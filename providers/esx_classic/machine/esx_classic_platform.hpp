// SPDX-License-Identifier: Apache-2.0
// The platform `esx-classic`: VMware ESX 3.5 and 4, whose service console is a Linux system that
// boots with the host (E-esx-console). It is disrupted in maintenance mode. It has no lock, no
// files of fabric but notes, no rollback timer and no path tests.
#pragma once

#include "engine/platform/host_parts.hpp"
#include "engine/platform/host_platform.hpp"
#include "engine/platform/probe.hpp"

namespace fabric::platform {

// The one object for the whole program; it has no state.
const HostPlatform& esx_classic_platform();

// The folder of fabric's records on such a host, for root alone. Below it: `options`, lines
// "BOOT_ID MODULE KEY" of the options that were changed since that boot; `maintenance`, how the
// mode was entered.
inline constexpr const char* kEsxNotes = "/var/lib/fabric";

// The maintenance mode of an ESX host, entered from its service console, and the record of how it
// was entered: "entered" by a run, "found" if the host was in it already, "none".
const MaintenanceMode& esx_classic_maintenance_mode();

// Prints "mode true" and "note entered". The first line is missing where the host does not tell it.
Probe esx_classic_maintenance_probe();

}  // namespace fabric::platform
