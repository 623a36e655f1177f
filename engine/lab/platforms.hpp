// SPDX-License-Identifier: Apache-2.0
// The platforms whose machines the lab can simulate by itself. A new one is a folder beside linux/
// and a row here; a test adds its own by LabSpec::makers.
#pragma once

#include <map>

#include "engine/lab/lab_spec.hpp"

namespace fabric::lab {

// A node of any other platform is a switch that forwards everything, if it is a switch, and else
// nothing at all.
const std::map<Platform, MachineMaker>& built_in_makers();

}  // namespace fabric::lab
