// SPDX-License-Identifier: Apache-2.0
// The platforms whose machines the lab can simulate and a rehearsal can copy.
#pragma once

#include "engine/rehearse/platform/simulated_platform.hpp"

namespace fabric::providers {

const rehearse::SimulatedPlatforms& simulated_platforms();

}  // namespace fabric::providers
