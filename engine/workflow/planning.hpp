// SPDX-License-Identifier: Apache-2.0
// Makes a plan from the desired resources and the facts of the nodes.
#pragma once

#include "engine/base/exit_code.hpp"
#include "engine/discovery/snapshot.hpp"
#include "engine/workflow/resources.hpp"
#include "engine/workflow/wanted.hpp"
#include "plans/plan.hpp"

namespace fabric::workflow {

struct Planned {
  discovery::Snapshot snapshot;
  plans::Plan plan;
  Diagnostics diagnostics;  // sorted; the warnings stand in the plan as well
  bool valid = true;        // false: there are errors, and the plan can't be applied
  // True if the plan has its actions: also where its errors are all of rule `adopt-would-lose`.
  bool complete = true;
};

// Prepares the resources, observes them, judges the rules that need facts, and plans.
Planned make_plan(
    const Desired& desired, std::vector<NodeFacts> facts, const BindFiles& bind_files);

// 3 with errors, 5 if the only errors are that the document is not trusted, 4 if a node that
// matters was not reached (plans::Plan::reached_all), else 0.
ExitCode exit_code_of(const Planned& planned);

}  // namespace fabric::workflow
