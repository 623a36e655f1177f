// SPDX-License-Identifier: Apache-2.0
// The commands of a plan on the machine that fabric runs on: agreeing to a plan means agreeing to
// them.
#pragma once

#include <string>
#include <vector>

#include "plans/plan.hpp"

namespace fabric::report {

// One line for each command and when it runs, whole, with the nodes that it is for; the name of the
// node at its end is shown as NODE: "pve[1-3] before_disruption: ./drain NODE".
std::vector<std::string> commands_here(const plans::Plan& plan);

}  // namespace fabric::report
