// SPDX-License-Identifier: Apache-2.0
// The second half of apply: the plan is there and agreed to; do it, and prove that it is done.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "engine/base/exit_code.hpp"
#include "engine/execute/executor.hpp"
#include "engine/execute/exit_code.hpp"
#include "engine/workflow/control_host.hpp"
#include "engine/workflow/discovering.hpp"
#include "engine/workflow/listener.hpp"
#include "engine/workflow/planning.hpp"

namespace fabric::workflow {

struct ApplyInputs {
  Desired desired;
  const plans::Plan& plan;
  bool plan_complete = true;  // plans::Plan::reached_all, when the plan was made
  execute::OnError on_error = execute::OnError::stop_wave;
  DiscoverLimits limits{};  // for reading; as many nodes are worked on at the same time
  // A plan that was carried out wholly is not carried out again. False for a plan that was made
  // just now, because it may rightly equal an earlier one.
  bool only_once = false;
  execute::PauseAfter pause_after = execute::PauseAfter::never;
  // Belong to the run that is resumed.
  execute::FormerRun former{};
  // Continues without nodes that died since the plan was made, as far as its guards allow.
  bool skip_unreachable = false;
};

// The holder of the locks, the listener, and the machine's services. All must outlive the call.
struct ApplyTools {
  ControlHost& host;
  Listener& listener;
  remote::StepRunner& runner;
  Random& random;
};

// Cleans up after ended runs on every node that was reached, takes the locks, checks that the plan
// is fresh, and executes it under a journal; a plan without actions is done. A node records a plan
// that was done wholly on it. Fails with ErrorCode::locked, stale, unreachable or denied before the
// first write. All actions of a node that is left out (skip_unreachable) are skipped.
Result<execute::RunResult> execute_plan(const ApplyInputs& inputs, const ApplyTools& tools);

// Proves the promise of apply: a second plan is empty, and frames pass. For a staged plan: nothing
// is left to be written. Changes that the plan itself has withheld may be left.
execute::Verification prove_applied(const ApplyInputs& inputs, const ApplyTools& tools);

// Both. A run is proven only if all of it was done, on nodes that were all reached.
Result<ExitCode> apply_plan(const ApplyInputs& inputs, const ApplyTools& tools);

// An approved plan without the nodes that can't be reached any more (--skip-unreachable).
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
