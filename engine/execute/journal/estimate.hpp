// SPDX-License-Identifier: Apache-2.0
// How long a plan will take, judged by how long such actions took in earlier runs.
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
  std::size_t runs = 0;          // that it is judged by
  std::set<std::string> unseen;  // kinds of action that none of them had: their time is not in it
};

// The median of the same kind of action on the same node, else on any: nodes of a wave beside each
// other, everything else one after the other. Nullopt if no kind was ever seen.
std::optional<Estimate> estimate(const plans::Plan& plan, const std::vector<RunRecord>& history);

}  // namespace fabric::execute
