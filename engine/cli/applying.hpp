// The second half of apply: the plan is there and agreed to; do it, and prove that it is done.
#pragma once

#include "engine/cli/planning.hpp"
#include "engine/execute/executor.hpp"

namespace fabric::cli {

struct ApplyInputs {
  const Wanted& wanted;
  const plans::Plan& plan;
  bool plan_complete = true;  // every node was reached when the plan was made
  std::string again;          // the command line that plans and applies anew, for "next:"
  execute::OnError on_error = execute::OnError::stop_wave;
  std::string signature{};  // of the plan file, kept with the run; "" = none
};

// Takes the lock, checks that the plan is fresh, executes it under a journal, sums up, and verifies
// by a second plan and by pings. Fails with ErrorCode::locked, stale, unreachable or denied before
// the first write.
Result<ExitCode> apply_plan(
    Context& context, const ApplyInputs& inputs, remote::StepRunner& runner, Random& random);

}  // namespace fabric::cli
