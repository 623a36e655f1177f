// SPDX-License-Identifier: Apache-2.0
// The exit code that a run ends with.
#pragma once

#include "engine/base/exit_code.hpp"
#include "engine/execute/executor.hpp"

namespace fabric::execute {

// `left`: passed, except for work that the plan itself has left to a later one.
enum class Verification : std::uint8_t { not_run, passed, failed, left };

// The worst code that applies. Part applied means: something failed or may have happened, and
// something was done, by the failed action itself too; or the plan left something to a later one;
// an interrupted run without failures is cancelled. A failed run is not verified. `plan_complete`:
// every node could be asked when the plan was made.
ExitCode exit_code(const RunResult& run, bool plan_complete, Verification verification);

}  // namespace fabric::execute
