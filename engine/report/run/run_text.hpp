// SPDX-License-Identifier: Apache-2.0
// Former runs, for people.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/execute/executor.hpp"
#include "engine/execute/journal/journal_read.hpp"
#include "engine/report/terminal/style.hpp"
#include "plans/plan.hpp"

namespace fabric::report {

// A line for each run, in the order given: its time, its outcome, its id.
Text history_text(const std::vector<execute::RunRecord>& runs);

// One run: its actions in the order in which they ran, failed ones with the reason.
Text run_text(const execute::RunRecord& run, const Style& style);

// The result: "converged", "7 of 12 actions done, 1 failed", "cut short after 3 of 12 actions".
std::string outcome_text(const execute::RunRecord& run);

// The end of a run, for people: the causes first, the actions skipped because of them, the numbers,
// and the next command.
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
