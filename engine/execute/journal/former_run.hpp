// SPDX-License-Identifier: Apache-2.0
// What the journal of a run says to the run that resumes it.
#pragma once

#include <map>
#include <set>
#include <string>

#include "engine/execute/journal/journal_read.hpp"
#include "plans/plan.hpp"

namespace fabric::execute {

struct FormerRun {
  std::string run{};  // "" = none is resumed
  // With hooks, and everything on them is done: they are not drained once more for nothing.
  std::set<NodeName> done{};
  // Their hook has said "not yet" for so long: they go behind the others.
  std::map<NodeName, Duration> put_off{};
};

// `plan`: the one that the run carried out.
FormerRun former_run(const RunRecord& record, const plans::Plan& plan);

}  // namespace fabric::execute
