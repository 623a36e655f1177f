// SPDX-License-Identifier: Apache-2.0
// Every remote command and file write of a plan, as shell lines, in order of execution.
#pragma once

#include <string>

#include "plans/plan.hpp"

namespace fabric::report {

// Comments name node, wave and action; all other lines could be typed on the node. Each script is
// defined once, at the top, as a variable of its name. A file write is shown as an `install`
// command of the same effect (fabric itself writes a temporary file and renames it).
std::string plan_commands(const plans::Plan& plan);

}  // namespace fabric::report
