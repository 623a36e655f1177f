// SPDX-License-Identifier: Apache-2.0
// ESX hosts of the lab (3.5, 4) for a rehearsal and the simulation.
#pragma once

#include "engine/rehearse/platform/simulated_platform.hpp"

namespace fabric::rehearse {

const SimulatedPlatform& simulated_esx_classic();

}  // namespace fabric::rehearse
