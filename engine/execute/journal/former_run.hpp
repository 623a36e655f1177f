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
  std::string run{};  // "" = no run is resumed
  // Nodes with hooks on which everything is done: they are not drained once more. Read from the
  // journal alone, until confirm() has looked at the nodes.
  std::set<NodeName> done{};
  // The nodes that record that all of the plan was done there, the hooks included. On the others,
  // the hook that ends a disruption runs again: no reading shows that a node was given back.
  std::set<NodeName> known{};
  // Nodes whose hook has said "not yet", for how long: they go behind the others.
  std::map<NodeName, Duration> put_off{};
};

// Keeps only what the nodes confirm, for a journal is only a file: all readable values of the plan
// are `in_force` there; `known`: the nodes that record the plan as done.
void confirm(
    FormerRun& former, const std::set<NodeName>& in_force, const std::set<NodeName>& known);

// `plan`: the plan that the run carried out.
FormerRun former_run(const RunRecord& record, const plans::Plan& plan);

}  // namespace fabric::execute
