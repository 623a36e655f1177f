// SPDX-License-Identifier: Apache-2.0
// The platform `mlnx-os`: switches with MLNX-OS or Onyx. They have no shell: fabric types lines at
// a prompt, in a session that begins in user mode each time. A probe is one line.
#pragma once

#include "engine/platform/host_platform.hpp"

namespace fabric::platform {

// The configuration in force: `show running-config`.
inline constexpr const char* kOnyxRunningProbe = "onyx-running";

// The placeholder in a line for the name of the switch, which no document has (Dialect::own_name).
inline constexpr const char* kOnyxOwnName = "{name}";

// The one object for the whole program; it has no state.
const HostPlatform& mlnxos_platform();

// The dialect of the switch's prompt; `entry` is for questions.
remote::step::Dialect mlnxos_dialect();

}  // namespace fabric::platform
