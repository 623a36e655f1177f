// SPDX-License-Identifier: Apache-2.0
// Switches with NVUE in a rehearsal: the system is copied as for a Linux host, the configuration as
// the `nv set` commands that make it.
#pragma once

#include "engine/rehearse/platform/simulated_platform.hpp"

namespace fabric::rehearse {

const SimulatedPlatform& simulated_nvue();

}  // namespace fabric::rehearse
