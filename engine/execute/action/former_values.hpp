// SPDX-License-Identifier: Apache-2.0
// The values that a rollback of an action must restore: the running values that the plan found.
#pragma once

#include <vector>

#include "plans/plan.hpp"

namespace fabric::execute {

// For every running value that the action's read-back wants: the value that was observed when
// `plan` was made, or the same value if the plan does not change it. For a removal that releases a
// device: all of its values that ran. Left out: values that were unknown then. Nothing for a
// reboot: a boot can't be rolled back, and settings of cards stay.
std::vector<Condition> former_values(const plans::Plan& plan, const plans::Action& action);

// For an action whose rollback brings files back: the values that the files gave to the resources
// it covers, when `plan` was made. Values that were unknown then are left out.
std::vector<Condition> former_files(const plans::Plan& plan, const plans::Action& action);

}  // namespace fabric::execute
