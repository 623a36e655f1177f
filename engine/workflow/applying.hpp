// SPDX-License-Identifier: Apache-2.0
// The second half of apply: the plan is there and agreed to; do it, and prove that it is done.
#pragma once

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
  DiscoverLimits limits{};  // of reading; as many nodes are worked on at the same time
  // A plan that was carried out wholly is not carried out again. Of a plan that is of just now:
  // false, as it may equal one of before by right.
  bool only_once = false;
  execute::PauseAfter pause_after = execute::PauseAfter::never;
  // Of the run that is resumed.
  execute::FormerRun former{};
  // Goes on without nodes that died since the plan was made, as far as its guards allow.
  bool skip_unreachable = false;
};

// Who is at work, who hears of it, and by what. All must outlive the call.
struct ApplyTools {
  ControlHost& host;
  Listener& listener;
  remote::StepRunner& runner;
  Random& random;
};

// Settles what ended runs have left on every node that was reached, takes the locks, checks that
// the plan is fresh, and executes it under a journal; a plan without actions is done. What was done
// wholly on a node is recorded there. Fails with ErrorCode::locked, stale, unreachable or denied
// before the first write; of a node that is left out (skip_unreachable) every action is skipped.
Result<execute::RunResult> execute_plan(const ApplyInputs& inputs, const ApplyTools& tools);

// That what apply promises came true: a second plan is empty, and frames pass. Of a staged plan:
// nothing is left to be written. What the plan itself has held back may be left.
execute::Verification prove_applied(const ApplyInputs& inputs, const ApplyTools& tools);

// Both; proven is only what was done wholly, on nodes that were all reached.
Result<ExitCode> apply_plan(const ApplyInputs& inputs, const ApplyTools& tools);

}  // namespace fabric::workflow
