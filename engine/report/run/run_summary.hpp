// SPDX-License-Identifier: Apache-2.0
// The end of a run, for people: the causes first, the actions skipped because of them, the numbers,
// and the next command.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/execute/executor.hpp"
#include "engine/report/terminal/style.hpp"
#include "plans/plan.hpp"

namespace fabric::report {

struct RunCounts {
  std::uint32_t done = 0, already_satisfied = 0, failed = 0, unknown = 0, skipped = 0,
                not_started = 0;
};
RunCounts count_states(const std::vector<execute::ActionResult>& results);

// `next`: the command that continues the work; "" if there is none.
Text run_summary(
    const plans::Plan& plan,
    const execute::RunResult& result,
    const std::string& next,
    const Style& style);

}  // namespace fabric::report
