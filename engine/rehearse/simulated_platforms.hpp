// SPDX-License-Identifier: Apache-2.0
// The platforms whose machines a rehearsal knows.
#pragma once

#include "engine/rehearse/platform/simulated_platform.hpp"

namespace fabric::rehearse {

// Null where this program knows none.
const SimulatedPlatform* simulated_platform(Platform platform);

}  // namespace fabric::rehearse
