// SPDX-License-Identifier: Apache-2.0
// `--policy`: a program of the operator that may refuse a plan (OPA, a script, a change board).
#pragma once

#include <string>

#include "engine/cli/terminal/context.hpp"
#include "plans/plan.hpp"

namespace fabric::cli {

// Runs `command` (a shell text) with the path of the plan as a file in $1 and FABRIC_PLAN; "" = no
// policy. Its output is shown. Fails with ErrorCode::forbidden if its exit status is not 0, or if
// it could not be run.
Result<void> ask_policy(
    const Context& context, const std::string& command, const plans::Plan& plan);

}  // namespace fabric::cli
