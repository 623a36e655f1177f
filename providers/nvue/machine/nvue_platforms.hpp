// SPDX-License-Identifier: Apache-2.0
// The platforms `cumulus` and `nvos`: switches that are configured by NVUE (`nv`), on a Linux
// system with sshd, systemd and flock. What is not configuration (the lock, boots, the path of the
// session) is done as on a Linux host; configuration goes by `nv` alone, never by files behind it.
#pragma once

#include "engine/platform/host_platform.hpp"

namespace fabric::platform {

// Each one for the whole program; they have no state.
const HostPlatform& cumulus_platform();
const HostPlatform& nvos_platform();

}  // namespace fabric::platform
