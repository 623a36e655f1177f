// SPDX-License-Identifier: Apache-2.0
// Paths that a plan takes from hosts that it does not touch, for people.
#pragma once

#include <vector>

#include "engine/report/terminal/text.hpp"
#include "plans/plan.hpp"

namespace fabric::report {

// Waves in a row that take as much are one line; none where nothing is lost.
std::vector<Text> lost_paths_lines(const plans::Plan& plan);

}  // namespace fabric::report
