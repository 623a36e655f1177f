// SPDX-License-Identifier: Apache-2.0
// The expected duration of a plan, by the durations of such actions in earlier runs.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "engine/base/clock.hpp"
#include "engine/execute/journal/journal_read.hpp"
#include "plans/plan.hpp"

namespace fabric::execute {

struct Estimate {
  Duration time{0};
  std::size_t runs = 0;          // number of runs that it is based on
  std::set<std::string> unseen;  // kinds of action in none of them: not part of `time`
};

// Uses the median of the same kind of action on the same node, else on any: nodes of a wave in
// parallel, everything else in series. Nullopt if no kind was ever seen.
std::optional<Estimate> estimate(const plans::Plan& plan, const std::vector<RunRecord>& history);

}  // namespace fabric::execute
