// SPDX-License-Identifier: Apache-2.0
// Linux hosts of the lab for a rehearsal and the simulation.
#pragma once

#include "engine/rehearse/platform/simulated_platform.hpp"

namespace fabric::rehearse {

const SimulatedPlatform& simulated_linux();

}  // namespace fabric::rehearse
