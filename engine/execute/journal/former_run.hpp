// SPDX-License-Identifier: Apache-2.0
// The content of a run's journal, for the run that resumes it.
#pragma once

#include <map>
#include <set>
#include <string>

#include "engine/execute/journal/journal_read.hpp"
#include "plans/plan.hpp"

namespace fabric::execute {

struct FormerRun {
  std::string run{};  // "" = none is resumed
  // With hooks, and everything on them is done: they are not drained once more for nothing. By the
  // word of the journal alone, until confirm() has looked at the nodes.
  std::set<NodeName> done{};
  // The nodes that record that all of the plan was done there, the hooks included. On the others,
  // the hook that ends a disruption runs again: no reading shows that a node was given back.
  std::set<NodeName> known{};
  // Their hook has said "not yet" for so long: they go behind the others.
  std::map<NodeName, Duration> put_off{};
};

// A journal is a file, and what it says of a node is taken for true only if the node shows it: what
// the plan wants is `in_force` there, by all that can be read.
void confirm(
    FormerRun& former, const std::set<NodeName>& in_force, const std::set<NodeName>& known);

// `plan`: the one that the run carried out.
FormerRun former_run(const RunRecord& record, const plans::Plan& plan);

}  // namespace fabric::execute
