// SPDX-License-Identifier: Apache-2.0
// Drift: how nodes differ from the document, and the cause, as far as our own records show it:
// the records and marked files on the nodes, and the journals of the runs here.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "engine/model/rule.hpp"
#include "engine/workflow/drift_origin.hpp"
#include "engine/workflow/planning.hpp"
#include "engine/workflow/run_history.hpp"

namespace fabric::workflow {

struct Difference {
  plans::PlannedChange change;
  Origin origin = Origin::unknown;
  std::string evidence;  // the record that shows the origin, or why none does
  // The stored value differs from the running one: the next boot of the node activates it.
  bool waits_for_boot = false;
  // False: no line of the document asks for the attribute. Something else has set the value that
  // the next boot will activate.
  bool declared = true;
  std::vector<std::string> files{};  // fabric's files on the node that ask for the attribute
};

struct Drift {
  std::vector<Difference> differences;  // of reached nodes, sorted by address and attribute

  std::size_t count(Origin origin) const;  // attributes that the document declares
  std::size_t waiting() const;             // all attributes
};

// REQUIRES: `planned` was made from `desired`. Runs of another fabric in `history` are ignored.
Drift find_drift(const Desired& desired, const Planned& planned, const RunHistory& history);

// Each difference from the document is a warning, and a value as fabric left it is an information.
Diagnostics drift_findings(const Drift& drift);
RuleRows drift_rules();

}  // namespace fabric::workflow
