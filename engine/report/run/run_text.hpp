// SPDX-License-Identifier: Apache-2.0
// Former runs, for people.
#pragma once

#include <string>
#include <vector>

#include "engine/execute/journal/journal_read.hpp"
#include "engine/report/terminal/style.hpp"

namespace fabric::report {

// A line for each run, in the order given: its time, its outcome, its id.
Text history_text(const std::vector<execute::RunRecord>& runs);

// One run: its actions in the order in which they ran, failed ones with the reason.
Text run_text(const execute::RunRecord& run, const Style& style);

// The result: "converged", "7 of 12 actions done, 1 failed", "cut short after 3 of 12 actions".
std::string outcome_text(const execute::RunRecord& run);

}  // namespace fabric::report
