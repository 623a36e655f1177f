// SPDX-License-Identifier: Apache-2.0
#include <utility>

#include "engine/execute/action/action_run.hpp"
#include "engine/execute/action/hook_run.hpp"
#include "engine/execute/action/waiting_run.hpp"
#include "engine/execute/action/work_run.hpp"
#include "engine/execute/guard/guarded_run.hpp"
#include "engine/execute/reboot/reboot_run.hpp"
#include "engine/provider/action_methods.hpp"

namespace fabric::execute {

std::unique_ptr<ActionRun> make_action_run(const plans::Action& action, ActionContext context) {
  std::unique_ptr<ActionRun> run;
  if (action.draft.kind == methods::kReboot) {
    run = std::make_unique<RebootRun>(action, context);
  } else if (
      action.draft.kind == methods::kHookBefore || action.draft.kind == methods::kHookAfter) {
    run = std::make_unique<HookRun>(action, context);
  } else if (!action.draft.by_hand.empty() || action.draft.kind == methods::kHealthCheck) {
    run = std::make_unique<WaitingRun>(action, context);
  } else {
    run = std::make_unique<WorkRun>(action, context);
  }
  if (action.guard == Duration{0}) return run;
  return std::make_unique<GuardedRun>(action, std::move(context), std::move(run));
}

}  // namespace fabric::execute
