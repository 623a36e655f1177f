// SPDX-License-Identifier: Apache-2.0
// A lab of every platform that the program can simulate.
#pragma once

#include "engine/lab/lab_spec.hpp"
#include "providers/simulated/simulated_platforms.hpp"

namespace fabric::test {

// `spec` with a maker for each platform that has none there.
inline lab::LabSpec simulated(lab::LabSpec spec = {}) {
  for (const auto& [platform, maker] : providers::simulated_platforms().makers())
    spec.makers.emplace(platform, maker);
  return spec;
}

}  // namespace fabric::test
