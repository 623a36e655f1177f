// SPDX-License-Identifier: Apache-2.0
// The platform `linux`.
#pragma once

#include "engine/platform/host_platform.hpp"

namespace fabric::platform {

// One for the whole program; it has no state.
const HostPlatform& linux_platform();

}  // namespace fabric::platform
