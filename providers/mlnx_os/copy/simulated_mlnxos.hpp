// SPDX-License-Identifier: Apache-2.0
// The lab's switches with Onyx, for rehearsals.
#pragma once

#include "engine/rehearse/platform/simulated_platform.hpp"

namespace fabric::rehearse {

// One for the whole program; it has no state.
const SimulatedPlatform& simulated_mlnxos();

}  // namespace fabric::rehearse
