// SPDX-License-Identifier: Apache-2.0
// The rollback timer of a switch with NVUE: `nv config apply --confirm`, which the switch itself
// rolls back unless it is confirmed. Beside it stands a record of fabric's, one folder for each
// token: the owner of the timer, the time until which it may still apply, and the former
// configuration.
#pragma once

#include "engine/platform/rollback_timer.hpp"

namespace fabric::platform {

class NvueRollbackTimer final : public RollbackTimer {
 public:
  // The undo of the action is not needed: NVUE puts back the whole revision before it.
  remote::Step arm(const GuardOrder& order, const WorkSteps& undo) const override;
  bool holds_back(const remote::Step& step) const override;
  // `nv config apply` gets `--confirm` for the time that is left.
  remote::Step while_armed(const std::string& token, remote::Step step) const override;
  // Confirms, and saves: a save before that would outlast the rollback.
  remote::Step disarm(const std::string& token) const override;
  remote::Step fire(const std::string& token) const override;
  remote::Step ask(const std::string& token) const override;
  remote::Step clear(const std::string& token) const override;
  GuardState state(const remote::StepResult& result) const override;
  // Also a confirmation that a foreign revision waits for.
  remote::Step find() const override;
  std::vector<FoundGuard> found(const remote::StepResult& result) const override;
};

}  // namespace fabric::platform
