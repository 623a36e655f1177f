// SPDX-License-Identifier: Apache-2.0
// GuardedRun: an action behind a dead-man timer on its node (I11). Arms it before the first step
// that changes something, and disarms it over a new session once the action's own read-back was
// right. Whatever else happens, the node rolls the action back, and that is read back over a new
// session: the state of the node's timer, and that the former values run again.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "engine/execute/action/action_run.hpp"
#include "engine/execute/action/reading_run.hpp"

namespace fabric::execute {

class GuardedRun final : public ActionRun {
 public:
  // REQUIRES: action.guard > 0, and the platform of the node has a rollback timer. `action` must
  // outlive this.
  GuardedRun(const plans::Action& action, ActionContext context, std::unique_ptr<ActionRun> inner);
  remote::Step begin() override;
  std::optional<remote::Step> next(const remote::StepResult& result) override;
  const ActionResult& result() const override { return result_; }
  bool node_lost() const override { return lost_; }
  bool changes_node() const override { return inner_->changes_node(); }

 private:
  using Next = std::optional<remote::Step>;
  enum class State : std::uint8_t {
    acting,
    arming,
    giving_up_arming,
    disarming,
    checking,
    firing,
    asking,
    looking,
    settling,
    clearing
  };

  Next act(const remote::StepResult& result);
  Next arm();
  Next armed(const remote::StepResult& result);
  Next gave_up_arming(const remote::StepResult& result);
  Next acted(TimePoint now);
  Next disarm();
  Next disarmed(const remote::StepResult& result);
  Next checked(const remote::StepResult& result);
  Next not_confirmed();
  Next ask();
  Next asked(const remote::StepResult& result);
  Next pause();
  Next repeat();
  Next rolled_back();
  Next rolled_back_in_part();
  Next look();
  Next looked(const remote::StepResult& result);
  Next not_as_before(const std::string& how);
  Next rolled_back(const std::string& how, Rollback rollback);
  Next lost(std::string why);
  Next end();

  const plans::Action& action_;
  ActionContext context_;
  std::unique_ptr<ActionRun> inner_;
  const platform::RollbackTimer& timer_;
  platform::GuardOrder order_;
  FactsRequest request_;
  State state_ = State::acting;
  bool pausing_ = false;
  bool is_armed_ = false;
  int retries_ = 0;
  remote::Step held_;  // the action's first change, until the timer is armed
  TimePoint fires_by_, give_up_;
  std::optional<TimePoint> settle_by_;  // end of the wait for former values after a rollback
  bool in_part_ = false;                // a part of the rollback reported that it failed
  bool lost_ = false;
  ActionResult result_;
};

}  // namespace fabric::execute
