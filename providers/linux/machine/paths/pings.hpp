// SPDX-License-Identifier: Apache-2.0
// The pings of one Linux host.
#pragma once

#include "providers/posix/machine/ping_script.hpp"

namespace fabric::platform {

// iputils or BusyBox. It has no state.
const PingTool& linux_ping();

}  // namespace fabric::platform
