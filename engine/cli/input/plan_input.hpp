// SPDX-License-Identifier: Apache-2.0
// A plan file as the argument of a verb, where a document could stand as well.
#pragma once

#include <optional>
#include <string>

#include "engine/base/random.hpp"
#include "engine/base/result.hpp"
#include "engine/cli/terminal/context.hpp"
#include "engine/remote/runner.hpp"
#include "engine/workflow/planning.hpp"

namespace fabric::cli {

// The text of the plan file at `path`; nullopt: the path is a document, or the folder of one.
Result<std::optional<std::string>> plan_file_text(const std::string& path);

// The text of a plan file that a user has named, or of the plan that a run has kept. The text is
// checked before it is parsed: fails with ErrorCode::invalid if it is no JSON.
Result<std::string> read_plan_text(const std::string& path);

// The first half of plan, apply and rehearse: a plan from the present state.
// Connects (or takes --facts), discovers, reads the images and plans. Prints the errors; warnings
// are in the plan.
Result<workflow::Planned> plan_now(Context& context, const workflow::Wanted& wanted);

// As above with existing sessions; `runner` may be null with --facts.
Result<workflow::Planned> plan_now(
    Context& context, const workflow::Wanted& wanted, remote::StepRunner* runner, Random& random);

}  // namespace fabric::cli
