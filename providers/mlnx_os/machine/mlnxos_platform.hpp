// SPDX-License-Identifier: Apache-2.0
// The platform `mlnx-os`: switches with MLNX-OS or Onyx. A program has no shell there: it types
// lines at a prompt, in a session that begins in user mode each time. A probe is one line.
#pragma once

#include "engine/platform/host_platform.hpp"

namespace fabric::platform {

// The configuration in force: `show running-config`.
inline constexpr const char* kOnyxRunningProbe = "onyx-running";

// Stands in a line for the name of the switch, which no document has to know (Dialect::own_name).
inline constexpr const char* kOnyxOwnName = "{name}";

// One for the whole program; it has no state.
const HostPlatform& mlnxos_platform();

// How it talks; `entry` is for questions.
remote::step::Dialect mlnxos_dialect();

}  // namespace fabric::platform
