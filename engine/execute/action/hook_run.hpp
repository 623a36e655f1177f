// SPDX-License-Identifier: Apache-2.0
// HookRun: a command around the disruption of a node, on the machine that fabric runs on, and the
// record on the node that the second one must still run (provider/disruption_hooks.hpp).
#pragma once

#include "engine/execute/action/action_run.hpp"
#include "engine/execute/action/work_run.hpp"

namespace fabric::execute {

// Before: the record is written and read back, then the command is run; after: the other way round.
// The exit status decides, for nothing else is known of the command; its output is kept. Status 75
// of the first command means "not yet". Its environment has FABRIC_NODE, FABRIC_HOOK (before,
// after) and, after, FABRIC_OUTCOME.
class HookRun final : public ActionRun {
 public:
  HookRun(const plans::Action& action, ActionContext context);
  remote::Step begin() override;
  std::optional<remote::Step> next(const remote::StepResult& result) override;
  const ActionResult& result() const override { return result_; }
  bool node_lost() const override { return false; }
  bool changes_node() const override { return !running_ && record_.changes_node(); }

 private:
  using Next = std::optional<remote::Step>;
  bool is_before() const;
  remote::Step pause();
  remote::Step run();
  Next ran(const remote::StepResult& result);
  Next recorded();
  Next end(ActionState state, ErrorCode code, std::string detail);

  const plans::Action& action_;
  const remote::Argv command_;  // run on fabric's machine; empty = none
  ActionContext context_;
  WorkRun record_;
  bool running_ = false;  // the command is running
  bool pausing_ = false;
  std::string said_;  // last words of a command that succeeded
  ActionResult result_;
};

}  // namespace fabric::execute
