// SPDX-License-Identifier: Apache-2.0
// Text about the paths that a plan interrupts for hosts that it does not touch.
#pragma once

#include <vector>

#include "engine/report/terminal/text.hpp"
#include "plans/plan.hpp"

namespace fabric::report {

// Consecutive waves with equal losses are one line; empty if nothing is lost.
std::vector<Text> lost_paths_lines(const plans::Plan& plan);

}  // namespace fabric::report
