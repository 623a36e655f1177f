// SPDX-License-Identifier: Apache-2.0
// The values that a rollback of an action must restore: the running values that the plan found.
#pragma once

#include <vector>

#include "plans/plan.hpp"

namespace fabric::execute {

// Of every running value that the action's read-back wants: the one that was observed when `plan`
// was made, which is the same one where the plan changes nothing about it. Of a removal that
// releases something: all of it that ran. Left out: what was unknown then. Of a reboot nothing: a
// boot can't be rolled back, and what cards were told stays.
std::vector<Condition> former_values(const plans::Plan& plan, const plans::Action& action);

// For an action whose rollback brings files back: the values that the files gave to the resources
// it covers, when `plan` was made. Values that were unknown then are left out.
std::vector<Condition> former_files(const plans::Plan& plan, const plans::Action& action);

}  // namespace fabric::execute
