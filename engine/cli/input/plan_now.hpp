// SPDX-License-Identifier: Apache-2.0
// The first half of plan, apply and rehearse: a plan from the present state.
#pragma once

#include "engine/base/random.hpp"
#include "engine/cli/terminal/context.hpp"
#include "engine/remote/runner.hpp"
#include "engine/workflow/planning.hpp"

namespace fabric::cli {

// Connects (or takes --facts), discovers, reads the images and plans. Prints the errors; warnings
// are in the plan.
Result<workflow::Planned> plan_now(Context& context, const workflow::Wanted& wanted);

// As above with existing sessions; `runner` may be null with --facts.
Result<workflow::Planned> plan_now(
    Context& context, const workflow::Wanted& wanted, remote::StepRunner* runner, Random& random);

}  // namespace fabric::cli
