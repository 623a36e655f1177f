// SPDX-License-Identifier: Apache-2.0
// An approved plan without the nodes that can't be reached any more (--skip-unreachable).
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "engine/workflow/applying.hpp"

namespace fabric::workflow {

struct Remainder {
  // The part of the approved plan that is still done: never more, and nothing else. The dead nodes
  // count as not reached.
  plans::Plan plan;
  std::set<NodeName> dead;
  // Why nothing is done on a node: the dead nodes, and the nodes that must not be disturbed while
  // those are down or that need work on them. A node is done wholly or not at all.
  std::map<NodeName, std::string> left_out;
};

// Asks every node that was reached when the plan was made. The nodes that may be disturbed while
// others are down are judged as in a new plan, by their present state. Fails with
// ErrorCode::unreachable if nothing would be left to do, stale if no new plan could be made.
Result<Remainder> without_dead(const ApplyInputs& inputs, const ApplyTools& tools);

// The results of all actions of `approved`, in its order: those of the left-out nodes are skipped.
std::vector<execute::ActionResult> with_left_out(
    const plans::Plan& approved, const Remainder& rest, std::vector<execute::ActionResult> results);

// "pve2: connection refused; pve1 is left as it is: its neighbour pve2 ..."
std::string left_out_text(const Remainder& rest);

}  // namespace fabric::workflow
