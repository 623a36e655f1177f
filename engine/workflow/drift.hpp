// SPDX-License-Identifier: Apache-2.0
// Drift: how nodes differ from the document, and who made it so, as far as something of ours tells:
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
  std::string evidence;  // what tells the origin, or why nothing does
  // What is stored differs from what runs: the next boot of the node activates it.
  bool waits_for_boot = false;
  // False: no line of the document asks for the attribute. Somebody has set what the next boot
  // will activate.
  bool declared = true;
  std::vector<std::string> files{};  // of ours on the node, which ask for the attribute
};

struct Drift {
  std::vector<Difference> differences;  // of reached nodes, in order of address and attribute

  std::size_t count(Origin origin) const;  // of those that the document declares
  std::size_t waiting() const;             // of all
};

// REQUIRES: `planned` was made of `desired`. `history`: nothing of it is used that is not of the
// same fabric.
Drift find_drift(const Desired& desired, const Planned& planned, const RunHistory& history);

// Each difference of the document as a warning, one as fabric left it as an information.
Diagnostics drift_findings(const Drift& drift);
RuleRows drift_rules();

}  // namespace fabric::workflow
