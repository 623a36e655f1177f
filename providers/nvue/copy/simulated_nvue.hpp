// SPDX-License-Identifier: Apache-2.0
// Switches with NVUE in a rehearsal: their system as that of a Linux host, their configuration as
// the words that set it.
#pragma once

#include "engine/rehearse/platform/simulated_platform.hpp"

namespace fabric::rehearse {

const SimulatedPlatform& simulated_nvue();

}  // namespace fabric::rehearse
