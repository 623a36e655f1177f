// SPDX-License-Identifier: Apache-2.0
// The rollback timer of a switch with NVUE: `nv config apply --confirm`, which the switch itself
// rolls back unless it is confirmed. Beside it fabric keeps a record, one folder for each token:
// the owner of the timer, the time until which it may still apply, and the former configuration.
#pragma once

#include "engine/platform/rollback_timer.hpp"

namespace fabric::platform {

class NvueRollbackTimer final : public RollbackTimer {
 public:
  // `undo` is not used: NVUE restores the whole former revision.
  remote::Step arm(const GuardOrder& order, const WorkSteps& undo) const override;
  bool holds_back(const remote::Step& step) const override;
  // Adds `--confirm` with the remaining time to `nv config apply`.
  remote::Step while_armed(const std::string& token, remote::Step step) const override;
  // Confirms, then saves: a save before the confirmation would outlast the rollback.
  remote::Step disarm(const std::string& token) const override;
  remote::Step fire(const std::string& token) const override;
  remote::Step ask(const std::string& token) const override;
  remote::Step clear(const std::string& token) const override;
  GuardState state(const remote::StepResult& result) const override;
  // Also finds a confirmation that a foreign revision waits for.
  remote::Step find() const override;
  std::vector<FoundGuard> found(const remote::StepResult& result) const override;
};

}  // namespace fabric::platform
