// SPDX-License-Identifier: Apache-2.0
// Undo: makes of the record of a run the changes that bring former values back. The work is the
// undo steps of the run's own actions, in reverse order.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "engine/base/diagnostic.hpp"
#include "engine/discovery/snapshot.hpp"
#include "engine/model/rule.hpp"
#include "plans/changes/candidate.hpp"
#include "plans/plan.hpp"

namespace fabric::plans {

struct UndoneRun {
  std::string run;
  Plan plan;                    // the one that it carried out
  std::set<std::string> begun;  // actions of which something was sent, by it or a run it resumed
};

struct UndoInputs {
  const UndoneRun& undone;
  const std::vector<Resource>& resources;  // as the run planned them, orphans and all
  const discovery::Snapshot& snapshot;
};

struct Undoing {
  // The resources that are not as before the run. Of each: the work, or why it is left: somebody
  // has changed it since, or nothing brings it back.
  Candidates candidates;
  std::vector<Change> forwards;  // the changes of the one that is not backwards, for their order
};

// What stays though it is undone, and the lines of the document that ask for it, are findings.
Undoing undo(const UndoInputs& inputs, Diagnostics& diagnostics);

RuleRows undo_rules();  // undo-stays, undo-document

}  // namespace fabric::plans
